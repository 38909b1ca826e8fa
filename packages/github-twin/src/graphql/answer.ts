import { type ExecutionResult, graphql } from 'graphql';
import { ApiError } from '../api-error.js';
import { toStamp } from '../clock.js';
import { findIssue, isPull } from '../domain/issues.js';
import { findRepo } from '../domain/permissions.js';
import { freshRefs } from '../domain/sync-refs.js';
import { repoPage } from '../views/repo.js';
import { nodeId, readNodeId } from '../views/user.js';
import { toUser } from './people.js';
import { toPull } from './pulls.js';
import { schema } from './schema.js';
import { findThread, notFound, setResolved, toThread, type Viewer } from './threads.js';

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
  const resolve =
    (resolved: boolean) =>
    async ({ input }: Input) => ({
      ...(await setResolved(viewer, readNodeId('PRRT', input.threadId), resolved)),
      clientMutationId: input.clientMutationId ?? null,
    });
  return {
    viewer: () => toUser(viewer, viewer.user.id),
    rateLimit: () => viewRate(viewer),
    repository: (name: { owner: string; name: string }) => readRepository(viewer, name),
    node: async ({ id }: { id: string }) => {
      const thread = findThread(viewer, readNodeId('PRRT', id));
      return thread ? toThread(viewer, thread.repo, thread.root) : null;
    },
    resolveReviewThread: resolve(true),
    unresolveReviewThread: resolve(false),
  };
}

function viewRate({ world, user }: Viewer) {
  const { limit, used, remaining, reset } = world.limiter.state(user.id, 'graphql');
  return { limit, used, remaining, cost: 1, resetAt: toStamp(reset * 1000) };
}

async function readRepository(viewer: Viewer, { owner, name }: { owner: string; name: string }) {
  const { world, user, token } = viewer;
  const missing = notFound(`Could not resolve to a Repository with the name '${owner}/${name}'.`);
  const repo = orThrow(missing, () => findRepo(world, { owner, repo: name }, { user, token }, 'read'));
  await freshRefs(world, repo);
  return {
    id: nodeId('R', repo.id),
    databaseId: repo.id,
    name: repo.name,
    nameWithOwner: `${repo.owner}/${repo.name}`,
    url: repoPage(viewer, repo),
    isPrivate: repo.private,
    pullRequest: ({ number }: { number: number }) => {
      const gone = notFound(`Could not resolve to a PullRequest with the number of ${number}.`);
      const issue = orThrow(gone, () => findIssue(world, repo, number));
      if (!isPull(issue)) throw gone;
      return toPull(viewer, repo, issue);
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
