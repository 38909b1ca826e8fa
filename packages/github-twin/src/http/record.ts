import type { World } from '../world/world.js';
import type { Exchange } from './exchange.js';

export type End = {
  counted?: boolean;
  wire?: { status: number };
  ended?: 'dropped' | 'client-gone';
};

/** Written before the answer leaves: whoever has the answer finds it in the history. */
export function recordRequest(world: World, exchange: Exchange, end: End): void {
  const { via, route, identity, armed } = exchange.visit;
  exchange.recorded = true;
  world.history.record({
    kind: 'request',
    via,
    user: identity?.user.login ?? null,
    token: identity?.token.id ?? null,
    method: exchange.request.method ?? exchange.method,
    path: exchange.path,
    query: exchange.query.toString(),
    route,
    status: end.wire?.status ?? 0,
    counted: end.counted ?? false,
    outcome: end.ended ?? 'answered',
    faults: armed.map(({ fault }) => fault.kind),
  });
}
