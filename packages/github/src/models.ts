import { z } from 'zod';

/** GitHub's answers reduced to what we use. Everything else is dropped at the door; what is missing is an error here. */
const Account = z.object({ id: z.int(), login: z.string(), type: z.string() });

/** A deleted account leaves null: nobody we know wrote it. */
export const Author = Account.nullable().transform((user) => user ?? { id: 0, login: 'ghost', type: 'User' });
export type Author = z.infer<typeof Author>;

export const Viewer = Account;
export type Viewer = z.infer<typeof Viewer>;

export const Repository = z
  .object({ id: z.int(), full_name: z.string(), default_branch: z.string(), archived: z.boolean() })
  .transform(({ id, full_name, default_branch, archived }) => ({
    id,
    fullName: full_name,
    defaultBranch: default_branch,
    archived,
  }));
export type Repository = z.infer<typeof Repository>;

const LabelName = z.union([z.string(), z.object({ name: z.string().optional() })]).transform((label) => {
  return typeof label === 'string' ? label : (label.name ?? '');
});

export const Issue = z
  .object({
    number: z.int(),
    title: z.string(),
    body: z.string().nullish(),
    state: z.string(),
    user: Author,
    labels: z.array(LabelName),
    comments: z.int(),
    html_url: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    pull_request: z.unknown().optional(),
  })
  .transform((issue) => ({
    number: issue.number,
    title: issue.title,
    body: issue.body ?? '',
    open: issue.state === 'open',
    author: issue.user,
    labels: issue.labels,
    commentCount: issue.comments,
    url: issue.html_url,
    createdAt: issue.created_at,
    updatedAt: issue.updated_at,
    isPullRequest: issue.pull_request !== undefined,
  }));
export type Issue = z.infer<typeof Issue>;

export const IssueComment = z
  .object({
    id: z.int(),
    body: z.string().nullish(),
    user: Author,
    html_url: z.string(),
    issue_url: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .transform((comment) => ({
    id: comment.id,
    body: comment.body ?? '',
    author: comment.user,
    url: comment.html_url,
    thread: Number(comment.issue_url.split('/').at(-1)),
    onPullRequest: /\/pull\/\d+#/.test(comment.html_url),
    createdAt: comment.created_at,
    updatedAt: comment.updated_at,
  }));
export type IssueComment = z.infer<typeof IssueComment>;

const PullHead = z.object({ sha: z.string(), ref: z.string(), repo: z.object({ id: z.int() }).nullable() });

export const PullRequest = z
  .object({
    number: z.int(),
    title: z.string(),
    body: z.string().nullish(),
    state: z.string(),
    user: Author,
    head: PullHead,
    base: z.object({ sha: z.string(), ref: z.string() }),
    merged_at: z.string().nullish(),
    merge_commit_sha: z.string().nullish(),
    html_url: z.string(),
    updated_at: z.string(),
  })
  .transform((pull) => ({
    number: pull.number,
    title: pull.title,
    body: pull.body ?? '',
    status: pull.merged_at
      ? ('merged' as const)
      : pull.state === 'open'
        ? ('open' as const)
        : ('closed' as const),
    author: pull.user,
    headSha: pull.head.sha,
    headRef: pull.head.ref,
    headRepoId: pull.head.repo?.id ?? null,
    baseRef: pull.base.ref,
    baseSha: pull.base.sha,
    mergeCommitSha: pull.merge_commit_sha ?? null,
    url: pull.html_url,
    updatedAt: pull.updated_at,
  }));
export type PullRequest = z.infer<typeof PullRequest>;
