import { z } from 'zod';
import { orNull, row, text } from './row.js';

const Account = z.object({ id: z.int(), login: z.string(), type: z.string() });

/** Replaces the null that GitHub sends for a deleted account with `ghost`. */
export const Author = Account.nullable().transform((user) => user ?? { id: 0, login: 'ghost', type: 'User' });
export type Author = z.infer<typeof Author>;

/** The author's relation to the repository, such as `COLLABORATOR`. */
export const Association = orNull(z.string()).transform((association) => association ?? 'NONE');

export const Viewer = Account;
export type Viewer = z.infer<typeof Viewer>;

export const Repository = row({
  id: ['id', z.int()],
  fullName: ['full_name', z.string()],
  defaultBranch: ['default_branch', z.string()],
  archived: ['archived', z.boolean()],
});
export type Repository = z.infer<typeof Repository>;

export const LabelName = z
  .union([z.string(), z.object({ name: z.string().optional() })])
  .transform((label) => {
    return typeof label === 'string' ? label : (label.name ?? '');
  });
/** Enterprise Server before 3.19, and rows of pull requests, have no summary. */
const Dependencies = z.object({ blocked_by: z.int().nonnegative() }).nullish();
const OfPull = z.object({ merged_at: z.string().nullish() }).optional();

export const Issue = row({
  number: ['number', z.int()],
  title: ['title', z.string()],
  body: ['body', text],
  open: ['state', z.string().transform((state) => state === 'open')],
  author: ['user', Author],
  association: ['author_association', Association],
  labels: ['labels', z.array(LabelName)],
  commentCount: ['comments', z.int()],
  url: ['html_url', z.string()],
  createdAt: ['created_at', z.string()],
  updatedAt: ['updated_at', z.string()],
  isPullRequest: ['pull_request', OfPull.transform((pull) => pull !== undefined)],
  /** Number of open issues that block this one. */
  blockedBy: ['issue_dependencies_summary', Dependencies.transform((summary) => summary?.blocked_by ?? 0)],
  mergedAt: ['pull_request', OfPull.transform((pull) => pull?.merged_at ?? null)],
});
export type Issue = z.infer<typeof Issue>;

/** An issue of any repository that blocks another issue. */
export const BlockingIssue = row({
  id: ['id', z.int()],
  number: ['number', z.int()],
  open: ['state', z.string().transform((state) => state === 'open')],
  repo: [
    'repository_url',
    z
      .string()
      .regex(/\/repos\/[\w.-]+\/[\w.-]+$/)
      .transform((url) => url.split('/').slice(-2).join('/')),
  ],
});
export type BlockingIssue = z.infer<typeof BlockingIssue>;

/** The number at the end of an API URL. */
export const LastNumber = z
  .string()
  .regex(/\/\d+$/)
  .transform((url) => Number(url.split('/').at(-1)));

export const IssueComment = row({
  id: ['id', z.int()],
  body: ['body', text],
  author: ['user', Author],
  association: ['author_association', Association],
  url: ['html_url', z.string()],
  thread: ['issue_url', LastNumber],
  onPullRequest: ['html_url', z.string().transform((url) => /\/pull\/\d+#/.test(url))],
  createdAt: ['created_at', z.string()],
  updatedAt: ['updated_at', z.string()],
});
export type IssueComment = z.infer<typeof IssueComment>;
