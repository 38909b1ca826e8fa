import { type Commits, createCommits } from './commits.js';
import { createFeeds, type Feeds } from './feeds.js';
import { createIssues, type Issues } from './issues.js';
import { createPulls, type Pulls } from './pulls.js';
import { type Connection, createRequests } from './request.js';
import { createReviews, type Reviews } from './reviews.js';

/** Everything that the poller may ask of GitHub. There is no merge in it: people merge. */
export type GitHub = Feeds & Issues & Pulls & Reviews & Commits;

export function createGitHub(connection: Connection): GitHub {
  const requests = createRequests(connection);
  return {
    ...createFeeds(requests),
    ...createIssues(requests),
    ...createPulls(requests),
    ...createReviews(requests),
    ...createCommits(requests),
  };
}
