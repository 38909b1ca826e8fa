import { GraphQLError } from 'graphql';
import { GRAPHQL_NEEDS, type Need } from '../apps/route-permissions.js';
import { findPull, inThread } from '../domain/issues.js';
import { mayAct, tokenReaches, type Visitor } from '../domain/permissions.js';
import { locateComment } from '../domain/place-comment.js';
import { listReviewComments } from '../domain/reviews.js';
import type { PullIssue, Repo, ReviewComment, User } from '../store/rows.js';
import { nodeId } from '../views/user.js';
import type { ViewContext } from '../world/world.js';
import { type Slice, toConnection } from './connection.js';

export type Viewer = ViewContext &
  Visitor & {
    user: User;
    /** Notes that the viewer uses this permission. Throws if it is an App without it. */
    use(repo: Repo, need: Need): void;
  };

type RepoViewer = Viewer & { repo: Repo };

/** Lists the first comment of each thread in a pull request, including deleted comments that have replies. */
export function listThreads(viewer: RepoViewer, issue: PullIssue): ReviewComment[] {
  const seen = listReviewComments(viewer, viewer.user).filter(inThread(issue));
  const rootIds = new Set(seen.map((row) => row.inReplyToId ?? row.id));
  return viewer.world.store.reviewComments.filter((row) => rootIds.has(row.id));
}

export async function toThread(viewer: RepoViewer, root: ReviewComment) {
  const { line } = await locateComment(viewer, findPull(viewer, root.number), root.place);
  const resolver = root.resolvedById === null ? undefined : viewer.world.store.users.get(root.resolvedById);
  return {
    id: nodeId('PRRT', root.id),
    isResolved: root.resolvedById !== null,
    isOutdated: line === null,
    resolvedBy: resolver && { login: resolver.login, databaseId: resolver.id },
    comments: (slice: Slice) => {
      const all = listReviewComments(viewer, viewer.user);
      const rows = all.filter((row) => row.id === root.id || row.inReplyToId === root.id);
      return toConnection(rows, slice, ({ id }) => ({ databaseId: id, fullDatabaseId: String(id) }));
    },
  };
}

export async function setResolved(viewer: Viewer, threadId: number | undefined, resolved: boolean) {
  const { world, user, token } = viewer;
  const root = world.store.reviewComments.get(threadId ?? 0);
  const repo = root && world.store.repos.get(root.repoId);
  const missing = notFound('Could not resolve to a node with the global id');
  if (!root || !repo || !mayAct(repo, viewer, 'read')) throw missing;
  const where = { ...viewer, repo };
  const issue = findPull(where, root.number);
  if (!listThreads(where, issue).includes(root)) throw missing;
  viewer.use(repo, GRAPHQL_NEEDS.resolveReviewThread);
  const own = issue.userId === user.id && tokenReaches(repo, token, 'write');
  if (!own && !mayAct(repo, viewer, 'write'))
    throw new GraphQLError(`${user.login} does not have permission to resolve this thread`, {
      extensions: { type: 'FORBIDDEN' },
    });
  const changed = world.store.reviewComments.put({ ...root, resolvedById: resolved ? user.id : null });
  return { thread: await toThread(where, changed) };
}

export function notFound(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type: 'NOT_FOUND' } });
}
