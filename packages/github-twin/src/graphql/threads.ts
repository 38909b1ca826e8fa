import { GraphQLError } from 'graphql';
import { findPull } from '../domain/issues.js';
import { hasPermission, tokenReaches } from '../domain/permissions.js';
import { locateComment } from '../domain/place-comment.js';
import { listReviewComments } from '../domain/reviews.js';
import type { ReviewComment } from '../store/review-rows.js';
import type { PullIssue, Repo, Token, User } from '../store/rows.js';
import { nodeId } from '../views/user.js';
import type { ViewContext } from '../world/world.js';
import { type Slice, toConnection } from './connection.js';

export type Viewer = ViewContext & { user: User; token: Token | null };

/** The threads of a pull request: each is a first comment, even a deleted one, with its replies. */
export function listThreads(viewer: Viewer, repo: Repo, issue: PullIssue): ReviewComment[] {
  const seen = listReviewComments(viewer.world, repo, viewer.user).filter(
    (row) => row.number === issue.number,
  );
  const rootIds = new Set(seen.map((row) => row.inReplyToId ?? row.id));
  return viewer.world.store.reviewComments.filter((row) => rootIds.has(row.id));
}

export async function toThread(viewer: Viewer, repo: Repo, root: ReviewComment) {
  const { world, user } = viewer;
  const { line } = await locateComment(world, repo, findPull(world, repo, root.number), root.place);
  const resolver = root.resolvedById === null ? undefined : world.store.users.get(root.resolvedById);
  return {
    id: nodeId('PRRT', root.id),
    isResolved: root.resolvedById !== null,
    isOutdated: line === null,
    resolvedBy: resolver && { login: resolver.login },
    comments: (slice: Slice) => {
      const all = listReviewComments(world, repo, user);
      const rows = all.filter((row) => row.id === root.id || row.inReplyToId === root.id);
      return toConnection(rows, slice, ({ id }) => ({ databaseId: id, fullDatabaseId: String(id) }));
    },
  };
}

function findThread(viewer: Viewer, id: number | undefined): { root: ReviewComment; repo: Repo } | undefined {
  const { store } = viewer.world;
  const root = id === undefined ? undefined : store.reviewComments.get(id);
  const repo = root && store.repos.get(root.repoId);
  if (!root || !repo || !hasPermission(repo, viewer.user, 'read')) return undefined;
  const visible = listReviewComments(viewer.world, repo, viewer.user).some(
    (row) => row.id === root.id || (root.deleted && row.inReplyToId === root.id),
  );
  return visible && tokenReaches(repo, viewer.token, 'read') ? { root, repo } : undefined;
}

export async function setResolved(viewer: Viewer, threadId: number | undefined, resolved: boolean) {
  const found = findThread(viewer, threadId);
  if (!found) throw notFound('Could not resolve to a node with the global id');
  const { repo, root } = found;
  const { world, user, token } = viewer;
  const own = findPull(world, repo, root.number).userId === user.id;
  const allowed = (own || hasPermission(repo, user, 'write')) && tokenReaches(repo, token, 'write');
  if (!allowed)
    throw new GraphQLError(`${user.login} does not have permission to resolve this thread`, {
      extensions: { type: 'FORBIDDEN' },
    });
  const changed = world.store.reviewComments.put({ ...root, resolvedById: resolved ? user.id : null });
  return { thread: await toThread(viewer, repo, changed) };
}

export function notFound(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type: 'NOT_FOUND' } });
}
