import { type ExecutionResult, GraphQLError } from 'graphql';
import { z } from 'zod';
import { hasGrant } from '../apps/use-grant.js';
import { ApiError } from '../basics/api-error.js';
import { answerGraphQL } from '../graphql/answer.js';
import type { Viewer } from '../graphql/threads.js';
import { actingAs } from '../history/history.js';
import { type Exchange, parseJson, readText } from '../http/exchange.js';
import { badCredentials, payerOf } from '../http/identify.js';
import { commonHeaders, JSON_TYPE } from '../http/send.js';
import { refuseInJson, serveExchange } from '../http/serve-exchange.js';

export const GRAPHQL_ROUTE = 'POST /graphql';

const Body = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

export async function serveGraphQL(exchange: Exchange): Promise<void> {
  Object.assign(exchange, { via: 'graphql', route: GRAPHQL_ROUTE });
  const text = await readText(exchange.request);
  await serveExchange(exchange, {
    repo: null,
    answer: async () => {
      const body = Buffer.from(JSON.stringify(await answer(exchange, text)));
      return { status: 200, headers: JSON_TYPE, body };
    },
    refuse: refuseInJson,
    complete: (reply) => ({
      ...reply,
      headers: { ...commonHeaders(exchange, 'graphql'), ...reply.headers },
      counted: reply.status === 200,
    }),
  });
}

async function answer(exchange: Exchange, text: string): Promise<ExecutionResult> {
  const { world, api, identity } = exchange;
  if (!identity) throw new ApiError(401, 'This endpoint requires you to be authenticated.');
  const parsed = Body.safeParse(parseJson(text));
  if (!parsed.success) throw new ApiError(400, 'A query attribute must be specified and must be a string.');
  const { query, variables, operationName } = parsed.data;
  const payer = payerOf(world, identity);
  if (!payer) throw badCredentials();
  const write = /^\s*mutation\b/.test(query);
  const leave = world.limiter.enter({ payer, resource: 'graphql', write, route: GRAPHQL_ROUTE });
  try {
    world.limiter.count(payer, 'graphql');
    const viewer = { world, api, ...identity, use: createUse(exchange) };
    const asked = { source: query, variableValues: variables ?? null, operationName: operationName ?? null };
    const result = await actingAs(identity.user.login, () => answerGraphQL(viewer, asked));
    return { ...result, ...(result.errors && { errors: result.errors.map(toGitHubError) }) };
  } finally {
    leave();
  }
}

/** Notes the permissions that a query uses. An App without one of them gets GitHub's error. */
function createUse({ identity, permissions }: Exchange): Viewer['use'] {
  return (repo, need) => {
    const access = identity?.access;
    if (!access || (!repo.private && !access.repoIds.includes(repo.id))) return;
    if (!hasGrant(access, need))
      throw new GraphQLError('Resource not accessible by integration', { extensions: { type: 'FORBIDDEN' } });
    permissions.push(need);
  };
}

/** Moves the type of an error from `extensions` to the level of its message, as in GitHub's responses. */
function toGitHubError(error: NonNullable<ExecutionResult['errors']>[number]) {
  const { extensions, ...rest } = error.toJSON();
  const type = extensions?.['type'];
  return Object.assign(error, { toJSON: () => ({ ...(typeof type === 'string' && { type }), ...rest }) });
}
