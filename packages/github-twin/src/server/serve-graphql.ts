import type { ExecutionResult } from 'graphql';
import { z } from 'zod';
import { ApiError } from '../basics/api-error.js';
import type { Armed } from '../faults/faults.js';
import { pick } from '../faults/faults.js';
import { answerGraphQL } from '../graphql/answer.js';
import { actingAs } from '../history/history.js';
import { applyAfter, applyBefore } from '../http/apply-faults.js';
import { type Exchange, parseJson, readText } from '../http/exchange.js';
import { type Identity, identify } from '../http/identify.js';
import { recordRequest } from '../http/record.js';
import { commonHeaders, HTML, rateHeaders, send } from '../http/send.js';
import type { World } from '../world/world.js';

export const GRAPHQL_ROUTE = 'POST /graphql';

const Body = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

type Visit = {
  exchange: Exchange;
  via: 'graphql';
  route: string;
  identity: Identity | undefined;
  armed: Armed[];
};

export async function serveGraphQL(world: World, exchange: Exchange): Promise<void> {
  const visit: Visit = { exchange, via: 'graphql', route: GRAPHQL_ROUTE, identity: undefined, armed: [] };
  exchange.visit = visit;
  const text = await readText(exchange.request);
  const over = (how: 'dropped' | 'client-gone') =>
    recordRequest(world, exchange, { requestBytes: text.length, ended: how });
  const reply = (status: number, type: string, content: string, extra: Record<string, string> = {}) => {
    const headers = {
      ...commonHeaders(world, visit.identity),
      ...rateHeaders(world, visit.identity, 'graphql'),
      'content-type': type,
      ...extra,
    };
    const wire = { status, headers, body: Buffer.from(content) };
    recordRequest(world, exchange, { requestBytes: text.length, counted: status === 200, wire });
    send(exchange, wire);
  };
  try {
    visit.identity = identify(world, exchange.request);
    const user = visit.identity?.user;
    visit.armed = world.faults.take({
      route: GRAPHQL_ROUTE,
      path: '/graphql',
      repo: null,
      user: user?.login ?? null,
    });
    const before = await applyBefore(exchange, visit.armed);
    if (before.kind === 'over') return over(before.how);
    if (before.kind === 'answer') throw before.error;
    if (before.kind === 'html') return reply(before.status, 'text/html', HTML);
    const json = JSON.stringify(await answer(world, visit, text));
    const after = await applyAfter(exchange, visit.armed);
    if (after.kind === 'over') return over(after.how);
    if (after.kind === 'answer') throw after.error;
    if (after.kind === 'html') return reply(after.status, 'text/html', HTML);
    const cut = pick(visit.armed, 'truncated').length > 0 ? json.slice(0, json.length / 2) : json;
    reply(200, 'application/json; charset=utf-8', cut);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    reply(error.status, 'application/json; charset=utf-8', JSON.stringify(error.body), error.headers);
  }
}

async function answer(world: World, { exchange, identity }: Visit, text: string): Promise<ExecutionResult> {
  if (!identity) throw new ApiError(401, 'This endpoint requires you to be authenticated.');
  const parsed = Body.safeParse(parseJson(text));
  if (!parsed.success) throw new ApiError(400, 'A query attribute must be specified and must be a string.');
  const { query, variables, operationName } = parsed.data;
  const write = /^\s*mutation\b/.test(query);
  const leave = world.limiter.enter(identity.user.id, 'graphql', { write, content: false });
  try {
    world.limiter.count(identity.user.id, 'graphql');
    const viewer = { world, api: exchange.api, ...identity };
    const request = { query, variables: variables ?? undefined, operationName: operationName ?? undefined };
    const result = await actingAs(identity.user.login, () => answerGraphQL(viewer, request));
    return { ...result, ...(result.errors && { errors: result.errors.map(toGitHubError) }) };
  } finally {
    leave();
  }
}

/** GitHub puts the kind of an error beside its message, not under `extensions`. */
function toGitHubError(error: NonNullable<ExecutionResult['errors']>[number]) {
  const { extensions, ...rest } = error.toJSON();
  const type = extensions?.['type'];
  return Object.assign(error, { toJSON: () => ({ ...(typeof type === 'string' && { type }), ...rest }) });
}
