import type { PullIssue, Repo } from '../store/rows.js';
import { issuePage } from '../views/issue.js';
import { nodeId } from '../views/user.js';
import { type Slice, toConnection } from './connection.js';
import { toActor } from './people.js';
import { listThreads, toThread, type Viewer } from './threads.js';

export function toPull(viewer: Viewer, repo: Repo, issue: PullIssue) {
  return {
    __typename: 'PullRequest',
    id: nodeId('PR', issue.id),
    fullDatabaseId: String(issue.pull.id),
    number: issue.number,
    title: issue.title,
    body: issue.body ?? '',
    state: issue.pull.mergedAt ? 'MERGED' : issue.state.toUpperCase(),
    url: issuePage(viewer, repo, issue),
    isDraft: issue.pull.draft,
    headRefName: issue.pull.headRef,
    headRefOid: issue.pull.headSha,
    baseRefName: issue.pull.baseRef,
    baseRefOid: issue.pull.baseSha,
    author: toActor(viewer, issue.userId),
    createdAt: issue.createdAt,
    updatedAt: issue.updatedAt,
    reviewThreads: (slice: Slice) =>
      toConnection(listThreads(viewer, repo, issue), slice, (root) => toThread(viewer, repo, root)),
  };
}
