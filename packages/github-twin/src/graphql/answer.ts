import { type ExecutionResult, graphql } from 'graphql';
import { ApiError } from '../basics/api-error.js';
import { findPull } from '../domain/issues.js';
import { findRepo } from '../domain/permissions.js';
import { freshRefs } from '../domain/sync-refs.js';
import { readNodeId } from '../views/user.js';
import { type Slice, toConnection } from './connection.js';
import { schema } from './schema.js';
import { listThreads, notFound, setResolved, toThread, type Viewer } from './threads.js';

export type GraphQLRequest = {
  query: string;
  variables?: Record<string, unknown> | undefined;
  operationName?: string | undefined;
};

export function answerGraphQL(viewer: Viewer, request: GraphQLRequest): Promise<ExecutionResult> {
  return graphql({
    schema,
    source: request.query,
    rootValue: rootOf(viewer),
    variableValues: request.variables,
    operationName: request.operationName,
  });
}

type Input = { input: { threadId: string; clientMutationId?: string | null } };

function rootOf(viewer: Viewer) {
  return {
    viewer: { login: viewer.user.login },
    repository: (name: { owner: string; name: string }) => readRepository(viewer, name),
    resolveReviewThread: async ({ input }: Input) => ({
      ...(await setResolved(viewer, readNodeId('PRRT', input.threadId), true)),
      clientMutationId: input.clientMutationId ?? null,
    }),
  };
}

async function readRepository(viewer: Viewer, { owner, name }: { owner: string; name: string }) {
  const { world, user, token } = viewer;
  const missing = notFound(`Could not resolve to a Repository with the name '${owner}/${name}'.`);
  const repo = orThrow(missing, () => findRepo(world, { owner, repo: name }, { user, token }, 'read'));
  await freshRefs(world, repo);
  return {
    pullRequest: ({ number }: { number: number }) => {
      const gone = notFound(`Could not resolve to a PullRequest with the number of ${number}.`);
      const issue = orThrow(gone, () => findPull(world, repo, number));
      return {
        reviewThreads: (slice: Slice) =>
          toConnection(listThreads(viewer, repo, issue), slice, (root) => toThread(viewer, repo, root)),
      };
    },
  };
}

function orThrow<T>(error: Error, find: () => T): T {
  try {
    return find();
  } catch (cause) {
    throw cause instanceof ApiError ? error : cause;
  }
}
