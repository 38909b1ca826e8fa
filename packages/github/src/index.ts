export { createGitHub, type GitHub } from './create-github.js';
export type { FeedPage, FeedPosition } from './feeds.js';
export type { Author, Issue, IssueComment, PullRequest, Repository, Viewer } from './models.js';
export type { Connection } from './request.js';
