import { z } from 'zod';
import { Association, Author, LabelName } from './issue-models.js';
import { orNull, row, text } from './row.js';

const Head = z.object({ sha: z.string(), ref: z.string(), repo: z.object({ id: z.int() }).nullable() });

const FIELDS = {
  number: ['number', z.int()],
  title: ['title', z.string()],
  body: ['body', text],
  state: ['state', z.string()],
  draft: ['draft', orNull(z.boolean()).transform((draft) => draft ?? false)],
  author: ['user', Author],
  association: ['author_association', Association],
  headSha: ['head', Head.transform(({ sha }) => sha)],
  headRef: ['head', Head.transform(({ ref }) => ref)],
  headRepoId: ['head', Head.transform(({ repo }) => repo?.id ?? null)],
  baseRef: ['base', z.object({ ref: z.string() }).transform(({ ref }) => ref)],
  /**
   * For an open pull request, this is GitHub's test merge and not a commit of the base branch. Always null in newer API
   * versions: use `fetchMergeCommit`.
   */
  mergeCommitSha: ['merge_commit_sha', orNull(z.string())],
  mergedAt: ['merged_at', orNull(z.string())],
  labels: ['labels', z.array(LabelName)],
  url: ['html_url', z.string()],
  createdAt: ['created_at', z.string()],
  updatedAt: ['updated_at', z.string()],
} as const;

/** The fields that GitHub returns both in lists and for a single pull request. */
export const PullRequest = row(FIELDS).transform(addStatus);
export type PullRequest = z.infer<typeof PullRequest>;

/** Adds the fields that GitHub returns only for a single pull request. `mergeable` is null while GitHub computes it. */
export const PullDetails = row({
  ...FIELDS,
  mergeable: ['mergeable', orNull(z.boolean())],
  mergeableState: ['mergeable_state', z.string()],
  commentCount: ['comments', z.int()],
  reviewCommentCount: ['review_comments', z.int()],
}).transform(addStatus);
export type PullDetails = z.infer<typeof PullDetails>;

/** `patch` is null for binary files, pure renames and very long changes. */
export const PullFile = row({
  path: ['filename', z.string()],
  status: ['status', z.enum(['added', 'removed', 'modified', 'renamed', 'copied', 'changed', 'unchanged'])],
  previousPath: ['previous_filename', orNull(z.string())],
  patch: ['patch', orNull(z.string())],
});
export type PullFile = z.infer<typeof PullFile>;

type Status = 'merged' | 'open' | 'closed';

function addStatus<Pull extends { state: string; mergedAt: string | null }>(pull: Pull) {
  const { state, mergedAt } = pull;
  const status: Status = mergedAt ? 'merged' : state === 'open' ? 'open' : 'closed';
  return { ...pull, status };
}
