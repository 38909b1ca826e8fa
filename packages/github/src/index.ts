export { type AppAccess, type AppLogin, createAppLogin } from './app/create-app-login.js';
export type { CheckRun, CommitStatus, NewCheckRun, NewStatus, StatusState } from './checks.js';
export type { Comparison } from './commits.js';
export { createGitHub, type GitHub } from './create-github.js';
export type { FeedPosition } from './feeds.js';
export { createFetch } from './http/create-fetch.js';
export type { FeedPage } from './http/pages.js';
export type { RateLimit } from './http/rate-limit.js';
export type { Connection } from './http/send.js';
export { isLocked, statusOf } from './http/to-failure.js';
export type { NewLabel } from './labels.js';
export type { PullThread } from './memory/create-memory.js';
export type { Job, WorkflowRun } from './models/action-models.js';
export type {
  Author,
  BlockingIssue,
  Issue,
  IssueComment,
  Repository,
  Viewer,
} from './models/issue-models.js';
export type { PullDetails, PullFile, PullRequest } from './models/pull-models.js';
export type { Review, ReviewComment } from './models/review-models.js';
export type { NewReview } from './review-writes.js';
export type { ReactionSubject } from './signs.js';
export type { Resolution, Resolver } from './threads.js';
export type { FetchedUpload } from './uploads/create-uploads.js';
