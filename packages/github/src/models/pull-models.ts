import { z } from 'zod';
import { Author } from './issue-models.js';

const PullHead = z.object({ sha: z.string(), ref: z.string(), repo: z.object({ id: z.int() }).nullable() });

const PullFields = z.object({
  number: z.int(),
  title: z.string(),
  body: z.string().nullish(),
  state: z.string(),
  draft: z.boolean().nullish(),
  user: Author,
  head: PullHead,
  base: z.object({ sha: z.string(), ref: z.string() }),
  merged_at: z.string().nullish(),
  merge_commit_sha: z.string().nullish(),
  html_url: z.string(),
  updated_at: z.string(),
});

/** As lists and single reads show it. */
export const PullRequest = PullFields.transform(toPullRequest);
export type PullRequest = z.infer<typeof PullRequest>;

/** What only the single read knows. `mergeable` is null while GitHub still computes it. */
export const PullDetails = PullFields.extend({
  mergeable: z.boolean().nullish(),
  mergeable_state: z.string(),
  comments: z.int(),
  review_comments: z.int(),
  changed_files: z.int(),
}).transform((pull) => ({
  ...toPullRequest(pull),
  mergeable: pull.mergeable ?? null,
  mergeableState: pull.mergeable_state,
  commentCount: pull.comments,
  reviewCommentCount: pull.review_comments,
  changedFileCount: pull.changed_files,
}));
export type PullDetails = z.infer<typeof PullDetails>;

/** The patch is missing where there is no text to show: binary files, mere renames, very long changes. */
export const PullFile = z
  .object({
    filename: z.string(),
    status: z.enum(['added', 'removed', 'modified', 'renamed', 'copied', 'changed', 'unchanged']),
    additions: z.int(),
    deletions: z.int(),
    previous_filename: z.string().nullish(),
    patch: z.string().nullish(),
  })
  .transform((file) => ({
    path: file.filename,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    previousPath: file.previous_filename ?? null,
    patch: file.patch ?? null,
  }));
export type PullFile = z.infer<typeof PullFile>;

function toPullRequest(pull: z.infer<typeof PullFields>) {
  return {
    number: pull.number,
    title: pull.title,
    body: pull.body ?? '',
    status: pull.merged_at
      ? ('merged' as const)
      : pull.state === 'open'
        ? ('open' as const)
        : ('closed' as const),
    draft: pull.draft ?? false,
    author: pull.user,
    headSha: pull.head.sha,
    headRef: pull.head.ref,
    headRepoId: pull.head.repo?.id ?? null,
    baseRef: pull.base.ref,
    baseSha: pull.base.sha,
    // While it is open, this is a commit that GitHub made to try the merge.
    mergeCommitSha: pull.merge_commit_sha ?? null,
    mergedAt: pull.merged_at ?? null,
    url: pull.html_url,
    updatedAt: pull.updated_at,
  };
}
