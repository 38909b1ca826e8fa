import { createActions } from './actions.js';
import { createChecks } from './checks.js';
import { createCommits } from './commits.js';
import { createContents } from './contents.js';

import { createFeeds } from './feeds.js';
import { createRequests } from './http/create-requests.js';
import type { Connection } from './http/send.js';
import { createIssues } from './issues.js';
import { createLabels } from './labels.js';
import { createMemory } from './memory/create-memory.js';
import { createExpect } from './memory/expect-versions.js';
import { createPulls } from './pulls.js';
import { createCountCheck } from './reading/check-count.js';
import { createCommentReads } from './reading/comment-reads.js';
import { createDependencies } from './reading/dependencies.js';
import { createPullThreads } from './reading/pull-threads.js';
import { createTextHistory } from './reading/text-history.js';
import { createReviewWrites } from './review-writes.js';
import { createReviews } from './reviews.js';
import { createSigns } from './signs.js';
import { createThreads } from './threads.js';
import { createUploads } from './uploads/create-uploads.js';

/** All requests that the poller can send to GitHub. None of them merges, because only people merge. */
export type GitHub = ReturnType<typeof createGitHub>;

export function createGitHub(connection: Connection) {
  const requests = createRequests(connection);
  const memory = createMemory(connection.now);
  const checkCount = createCountCheck(connection.now);
  const reads = createCommentReads(requests, checkCount, memory);
  const pulls = createPulls(requests, memory);
  const reviews = createReviews(requests, { memory, reads, checkCount, ...pulls });
  return {
    ...createFeeds(requests, memory),
    ...createIssues(requests, reads, memory),
    ...createDependencies(requests),
    ...createLabels(requests),
    ...pulls,
    ...reviews,
    ...createPullThreads({ memory, reads, ...pulls, ...reviews }),
    ...createReviewWrites(requests, memory),
    ...createSigns(requests, memory),
    ...createThreads(requests),
    ...createTextHistory(requests),
    ...createCommits(requests),
    ...createContents(requests),
    ...createChecks(requests, memory),
    ...createActions(requests, memory),
    ...createExpect(memory),
    ...createUploads(connection, requests),
  };
}
