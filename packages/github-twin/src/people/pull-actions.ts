import { z } from 'zod';
import { repoNamed } from '../control/control.js';
import type { World } from '../world/world.js';
import { idOf, numberOf, type Request } from './request.js';

export type InlineComment = { path: string; line: number; side?: 'LEFT' | 'RIGHT'; body: string };
export type ReviewInput = {
  event?: 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT';
  body?: string;
  comments?: InlineComment[];
};
export type PullInput = { title: string; head: string; base?: string; body?: string; draft?: boolean };

const Merged = z.object({ sha: z.string() });

/** The part of a person's doings that is about pull requests. */
export function createPullActions(world: World, request: Request) {
  const at = (repo: string, rest: string) => `/repos/${repo}/pulls${rest}`;
  return {
    openPull: (repo: string, pull: PullInput) =>
      numberOf(request('POST', at(repo, ''), { base: repoNamed(world, repo).defaultBranch, ...pull })),
    merge: async (repo: string, number: number, merge_method: 'merge' | 'squash' = 'merge') =>
      Merged.parse(await request('PUT', at(repo, `/${number}/merge`), { merge_method })).sha,
    /** On the pull request's head unless a commit is given. */
    reviewComment: (repo: string, number: number, comment: InlineComment & { commitId?: string }) => {
      const { commitId, ...rest } = comment;
      const commit_id = commitId ?? headOf(world, repo, number);
      return idOf(request('POST', at(repo, `/${number}/comments`), { ...rest, commit_id }));
    },
    reply: (repo: string, number: number, commentId: number, body: string) =>
      idOf(request('POST', at(repo, `/${number}/comments/${commentId}/replies`), { body })),
    editReviewComment: (repo: string, id: number, body: string) =>
      request('PATCH', at(repo, `/comments/${id}`), { body }),
    deleteReviewComment: (repo: string, id: number) => request('DELETE', at(repo, `/comments/${id}`)),
    submitReview: (repo: string, number: number, review: ReviewInput) =>
      idOf(request('POST', at(repo, `/${number}/reviews`), { event: 'COMMENT', ...review })),
  };
}

function headOf(world: World, repo: string, number: number): string {
  const { id } = repoNamed(world, repo);
  const head = world.store.issues.find((row) => row.repoId === id && row.number === number)?.pull?.headSha;
  if (!head) throw new Error(`${repo}#${number} is no pull request`);
  return head;
}
