export type { Comparison } from './commits.js';
export { createGitHub, type GitHub } from './create-github.js';
export type { FeedPage, FeedPosition } from './feeds.js';
export type { NewLabel } from './issues.js';
export type { Author, Issue, IssueComment, Repository, Viewer } from './models.js';
export type { PullDetails, PullFile, PullRequest } from './pull-models.js';
export type { Connection } from './request.js';
export type { Review, ReviewComment } from './review-models.js';
export { statusOf } from './to-failure.js';
