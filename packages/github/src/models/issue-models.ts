import { z } from 'zod';

/** GitHub's answers reduced to what we use. Everything else is dropped at the door; what is missing is an error here. */
const Account = z.object({ id: z.int(), login: z.string(), type: z.string() });

/** A deleted account leaves null: nobody we know wrote it. */
export const Author = Account.nullable().transform((user) => user ?? { id: 0, login: 'ghost', type: 'User' });
export type Author = z.infer<typeof Author>;

/** How an author relates to the repository, such as `COLLABORATOR`. */
export const Association = z
  .string()
  .nullish()
  .transform((association) => association ?? 'NONE');

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
    pull_request: z.object({ merged_at: z.string().nullish() }).optional(),
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
    mergedAt: issue.pull_request?.merged_at ?? null,
  }));
export type Issue = z.infer<typeof Issue>;

export const IssueComment = z
  .object({
    id: z.int(),
    body: z.string().nullish(),
    user: Author,
    author_association: Association,
    html_url: z.string(),
    issue_url: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .transform((comment) => ({
    id: comment.id,
    body: comment.body ?? '',
    author: comment.user,
    association: comment.author_association,
    url: comment.html_url,
    thread: Number(comment.issue_url.split('/').at(-1)),
    onPullRequest: /\/pull\/\d+#/.test(comment.html_url),
    createdAt: comment.created_at,
    updatedAt: comment.updated_at,
  }));
export type IssueComment = z.infer<typeof IssueComment>;
