import { Failure } from '@mergexo/core/basics';
import { z } from 'zod';
import { createFind, fetchUnlessGone } from './fetch-unless-gone.js';
import type { Requests } from './http/requests.js';
import { refusePartialSha } from './refuse-partial-sha.js';

/** The position of `head` relative to `base`. Unrelated histories count as diverged. */
const Comparison = z.object({ status: z.enum(['ahead', 'behind', 'diverged', 'identical']) });
export type Comparison = z.infer<typeof Comparison>;

const Commit = z.object({ sha: z.string() });
const Ref = z.object({ object: z.object({ sha: z.string() }) });

export function createCommits(requests: Requests) {
  const find = createFind(requests);
  const compare = async (path: string): Promise<Comparison> => {
    try {
      return (await requests.get(path, Comparison, { query: { per_page: 1 } })).data;
    } catch (error) {
      if (isUnrelated(error)) return { status: 'diverged' };
      throw error;
    }
  };

  return {
    /** Returns the head of a branch; null if the repository has no such branch. */
    async fetchBranchHead(repo: string, branch: string): Promise<string | null> {
      const path = `git/ref/heads/${branch.split('/').map(encodeURIComponent).join('/')}`;
      return (await find({ repo, path }, Ref))?.object.sha ?? null;
    },

    /** True if the commit exists. False if the repository is readable and has no such commit. */
    async hasCommit(repo: string, sha: string): Promise<boolean> {
      refusePartialSha(sha);
      try {
        return (await find({ repo, path: `commits/${sha}`, query: { per_page: 1 } }, Commit)) !== null;
      } catch (error) {
        // GitHub returns 422, not 404, for an unknown full sha.
        if (error instanceof Failure && error.kind === 'conflict') return false;
        throw error;
      }
    },

    /** Compares two commits. Null if GitHub lacks one of them, because it was removed or is not visible yet. */
    async compareCommits(repo: string, base: string, head: string): Promise<Comparison | null> {
      for (const sha of [base, head]) refusePartialSha(sha);
      return fetchUnlessGone(requests, repo, () => compare(`/repos/${repo}/compare/${base}...${head}`));
    },
  };
}

/** True for the 404 that GitHub returns if both commits exist but share no ancestor. */
function isUnrelated(error: unknown): boolean {
  if (!(error instanceof Failure) || error.kind !== 'not-found') return false;
  return error.cause instanceof Error && /^no common ancestor/i.test(error.cause.message);
}
