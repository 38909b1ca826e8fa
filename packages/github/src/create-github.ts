import { type Actions, createActions } from './actions.js';
import { createCountCheck } from './check-count.js';
import { type Checks, createChecks } from './checks.js';
import { type Commits, createCommits } from './commits.js';
import { type Contents, createContents } from './contents.js';
import { createFeeds, type Feeds } from './feeds.js';
import { createRequests } from './http/create-requests.js';
import type { Connection } from './http/send.js';
import { createIssues, type Issues } from './issues.js';
import { createPulls, type Pulls } from './pulls.js';
import { createReviewWrites, type ReviewWrites } from './review-writes.js';
import { createReviews, type Reviews } from './reviews.js';
import { createThreads, type Threads } from './threads.js';

/** Everything that the poller may ask of GitHub. There is no merge in it: people merge. */
export type GitHub = Feeds &
  Issues &
  Pulls &
  Reviews &
  ReviewWrites &
  Threads &
  Commits &
  Contents &
  Checks &
  Actions;

export function createGitHub(connection: Connection): GitHub {
  const requests = createRequests(connection);
  const checkCount = createCountCheck(connection.now);
  return {
    ...createFeeds(requests),
    ...createIssues(requests, checkCount),
    ...createPulls(requests),
    ...createReviews(requests, checkCount),
    ...createReviewWrites(requests),
    ...createThreads(requests),
    ...createCommits(requests),
    ...createContents(requests),
    ...createChecks(requests),
    ...createActions(requests),
  };
}
