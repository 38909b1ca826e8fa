import type { ExecutionResult } from 'graphql';
import { z } from 'zod';
import { ApiError } from '../basics/api-error.js';
import { answerGraphQL } from '../graphql/answer.js';
import { actingAs } from '../history/history.js';
import { type Exchange, parseJson, readText, type Visit } from '../http/exchange.js';
import { commonHeaders, rateHeaders } from '../http/send.js';
import type { World } from '../world/world.js';
import { refuseInJson, serveVisit } from './serve-visit.js';

export const GRAPHQL_ROUTE = 'POST /graphql';

const Body = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

export async function serveGraphQL(world: World, exchange: Exchange): Promise<void> {
  exchange.visit = { ...exchange.visit, via: 'graphql', route: GRAPHQL_ROUTE };
  const text = await readText(exchange.request);
  await serveVisit(world, exchange, {
    via: 'graphql',
    route: GRAPHQL_ROUTE,
    repo: null,
    answer: async (visit) => ({
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: Buffer.from(JSON.stringify(await answer(world, exchange, visit, text))),
    }),
    refuse: refuseInJson,
    complete: ({ identity }, reply) => ({
      ...reply,
      headers: {
        ...commonHeaders(world, identity),
        ...rateHeaders(world, identity, 'graphql'),
        ...reply.headers,
      },
      counted: reply.status === 200,
    }),
  });
}

async function answer(
  world: World,
  { api }: Exchange,
  { identity }: Visit,
  text: string,
): Promise<ExecutionResult> {
  if (!identity) throw new ApiError(401, 'This endpoint requires you to be authenticated.');
  const parsed = Body.safeParse(parseJson(text));
  if (!parsed.success) throw new ApiError(400, 'A query attribute must be specified and must be a string.');
  const { query, variables, operationName } = parsed.data;
  const write = /^\s*mutation\b/.test(query);
  const leave = world.limiter.enter(identity.user.id, 'graphql', { write, content: false });
  try {
    world.limiter.count(identity.user.id, 'graphql');
    const viewer = { world, api, ...identity };
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
