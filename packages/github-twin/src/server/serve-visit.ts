import { ApiError } from '../basics/api-error.js';
import { pick } from '../faults/faults.js';
import { applyAfter, applyBefore, type Verdict } from '../http/apply-faults.js';
import type { Exchange, Visit } from '../http/exchange.js';
import { identify } from '../http/identify.js';
import { recordRequest } from '../http/record.js';
import { HTML, send, type Wire } from '../http/send.js';
import type { World } from '../world/world.js';

export type Reply = Wire & { counted?: boolean };
/** No answer was sent. */
export type Ended = { ended: 'dropped' | 'client-gone' };

/** What REST, GraphQL and git do differently with a request. */
export type Service = {
  via: Visit['via'];
  route: string;
  repo: string | null;
  answer(visit: Visit): Promise<Reply | Ended>;
  refuse(error: ApiError): Wire;
  /** Adds the headers that every answer carries, those of faults too. */
  complete(visit: Visit, reply: Reply): Reply;
};

/** The life of one request: its token, its faults, its answer, and its line in the history. */
export async function serveVisit(world: World, exchange: Exchange, service: Service): Promise<void> {
  const { via, route } = service;
  const visit: Visit = { via, route, identity: undefined, armed: [] };
  exchange.visit = visit;
  const end = await answerUnderFaults(world, exchange, visit, service);
  if ('ended' in end) return recordRequest(world, exchange, end);
  const { counted = false, ...wire } = service.complete(visit, end);
  const truncated = pick(visit.armed, 'truncated').length > 0;
  const body = truncated ? wire.body.subarray(0, Math.ceil(wire.body.length / 2)) : wire.body;
  recordRequest(world, exchange, { counted, wire });
  send(exchange, { ...wire, body });
}

async function answerUnderFaults(
  world: World,
  exchange: Exchange,
  visit: Visit,
  service: Service,
): Promise<Reply | Ended> {
  const { route, repo } = service;
  try {
    visit.identity = identify(world, exchange.request);
    const user = visit.identity?.user.login ?? null;
    visit.armed = world.faults.take({ route, path: exchange.path, repo, user });
    const before = await applyBefore(exchange, visit.armed);
    if (before.kind !== 'go') return substitute(before);
    const answer = await service.answer(visit);
    if ('ended' in answer) return answer;
    const after = await applyAfter(exchange, visit.armed);
    return after.kind === 'go' ? answer : substitute(after);
  } catch (error) {
    if (error instanceof ApiError) return service.refuse(error);
    throw error;
  }
}

function substitute(verdict: Exclude<Verdict, { kind: 'go' }>): Reply | Ended {
  if (verdict.kind === 'over') return { ended: verdict.how };
  if (verdict.kind === 'answer') throw verdict.error;
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  return { status: verdict.status, headers, body: Buffer.from(HTML) };
}

/** As the API refuses, in JSON. */
export function refuseInJson({ status, headers, body }: ApiError): Wire {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, headers: { ...type, ...headers }, body: Buffer.from(JSON.stringify(body)) };
}
