import { GraphQLError } from 'graphql';
import { findPull } from '../domain/issues.js';
import { hasPermission, tokenReaches } from '../domain/permissions.js';
import { locateComment } from '../domain/place-comment.js';
import { listReviewComments } from '../domain/reviews.js';
import type { Lens } from '../http/call.js';
import type { ReviewComment } from '../store/review-rows.js';
import type { PullIssue, Repo, Token, User } from '../store/rows.js';
import { issuePage } from '../views/issue.js';
import { nodeId } from '../views/user.js';
import { type Slice, toConnection } from './connection.js';
import { toActor, toUser } from './people.js';
import { toPull } from './pulls.js';

export type Viewer = Lens & { user: User; token: Token | null };

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
  const issue = findPull(world, repo, root.number);
  const now = await locateComment(world, repo, issue, root.place);
  const outdated = root.place.line !== null && now.line === null;
  const mayResolve = hasPermission(repo, user, 'write') || issue.userId === user.id;
  const resolved = root.resolvedById !== null;
  return {
    __typename: 'PullRequestReviewThread',
    id: nodeId('PRRT', root.id),
    isResolved: resolved,
    isOutdated: outdated,
    isCollapsed: resolved,
    path: root.place.path,
    line: now.line,
    originalLine: root.place.line,
    diffSide: root.place.side,
    resolvedBy: toUser(viewer, root.resolvedById),
    viewerCanResolve: mayResolve && !resolved,
    viewerCanUnresolve: mayResolve && resolved,
    viewerCanReply: true,
    pullRequest: () => toPull(viewer, repo, issue),
    comments: (slice: Slice) => {
      const all = listReviewComments(world, repo, user);
      const rows = all.filter((row) => row.id === root.id || row.inReplyToId === root.id);
      return toConnection(rows, slice, (row) => toComment(viewer, repo, issue, row, outdated));
    },
  };
}

function toComment(viewer: Viewer, repo: Repo, issue: PullIssue, row: ReviewComment, outdated: boolean) {
  return {
    __typename: 'PullRequestReviewComment',
    id: nodeId('PRRC', row.id),
    databaseId: row.id,
    fullDatabaseId: String(row.id),
    body: row.body,
    author: toActor(viewer, row.userId),
    url: `${issuePage(viewer, repo, issue)}#discussion_r${row.id}`,
    createdAt: row.createdAt,
    path: row.place.path,
    outdated,
  };
}

export function findThread(
  viewer: Viewer,
  id: number | undefined,
): { root: ReviewComment; repo: Repo } | undefined {
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
  const thread = await toThread(viewer, found.repo, found.root);
  const allowed =
    (thread.viewerCanResolve || thread.viewerCanUnresolve) && tokenReaches(found.repo, viewer.token, 'write');
  if (!allowed)
    throw new GraphQLError(`${viewer.user.login} does not have permission to resolve this thread`, {
      extensions: { type: 'FORBIDDEN' },
    });
  const current = viewer.world.store.reviewComments.get(found.root.id) ?? found.root;
  const changed = viewer.world.store.reviewComments.put({
    ...current,
    resolvedById: resolved ? viewer.user.id : null,
  });
  return { thread: await toThread(viewer, found.repo, changed) };
}

export function notFound(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type: 'NOT_FOUND' } });
}
