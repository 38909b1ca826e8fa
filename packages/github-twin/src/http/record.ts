import type { Armed } from '../faults/faults.js';
import type { World } from '../world.js';
import type { Exchange } from './exchange.js';
import type { Identity } from './identify.js';

type Visit = { exchange: Exchange; route: string; identity: Identity | undefined; armed: Armed[] };
type End = {
  requestBytes: number;
  via?: 'rest' | 'graphql' | 'git';
  counted?: boolean;
  wire?: { status: number; body: { length: number } };
  ended?: 'dropped' | 'client-gone';
};

/** Written before the answer leaves: whoever has the answer finds it in the history. */
export function recordRequest(world: World, { exchange, route, identity, armed }: Visit, end: End): void {
  world.history.record({
    kind: 'request',
    via: end.via ?? 'rest',
    user: identity?.user.login ?? null,
    token: identity?.token.id ?? null,
    method: exchange.method,
    path: exchange.path,
    query: exchange.query.toString(),
    route,
    status: end.wire?.status ?? 0,
    bytes: end.wire?.body.length ?? 0,
    requestBytes: end.requestBytes,
    counted: end.counted ?? false,
    outcome: end.ended ?? 'answered',
    faults: armed.map(({ fault }) => fault.kind),
  });
}
