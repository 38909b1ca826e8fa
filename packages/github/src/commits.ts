import { Failure } from '@mergexo/core/basics';
import { z } from 'zod';
import { fetchUnlessGone } from './fetch-unless-gone.js';
import type { Requests } from './http/requests.js';
import { refusePartialSha } from './refuse-partial-sha.js';

const Compared = z
  .object({
    status: z.enum(['ahead', 'behind', 'diverged', 'identical']),
    ahead_by: z.int(),
    behind_by: z.int(),
    merge_base_commit: z.object({ sha: z.string() }),
  })
  .transform((compared) => ({
    status: compared.status,
    aheadBy: compared.ahead_by,
    behindBy: compared.behind_by,
    mergeBaseSha: compared.merge_base_commit.sha,
  }));

const Commit = z.object({ sha: z.string() });
const Ref = z.object({ object: z.object({ sha: z.string() }) });

/** Where `head` stands as seen from `base`. Unrelated histories have diverged, without counts and merge base. */
export type Comparison =
  | z.infer<typeof Compared>
  | { status: 'diverged'; aheadBy: null; behindBy: null; mergeBaseSha: null };

const UNRELATED: Comparison = { status: 'diverged', aheadBy: null, behindBy: null, mergeBaseSha: null };

export type Commits = ReturnType<typeof createCommits>;

export function createCommits(requests: Requests) {
  const compare = async (path: string): Promise<Comparison> => {
    try {
      return (await requests.get(path, Compared, { query: { per_page: 1 } })).data;
    } catch (error) {
      if (isUnrelated(error)) return UNRELATED;
      throw error;
    }
  };

  return {
    /** Null when the repository has no such branch. */
    async fetchBranchHead(repo: string, branch: string): Promise<string | null> {
      const path = `/repos/${repo}/git/ref/heads/${branch.split('/').map(encodeURIComponent).join('/')}`;
      const found = await fetchUnlessGone(requests, repo, () => requests.get(path, Ref));
      return found?.data.object.sha ?? null;
    },

    /** False when the repository is readable and has no such commit. */
    async hasCommit(repo: string, sha: string): Promise<boolean> {
      refusePartialSha(sha);
      const read = () => requests.get(`/repos/${repo}/commits/${sha}`, Commit, { query: { per_page: 1 } });
      try {
        return (await fetchUnlessGone(requests, repo, read)) !== null;
      } catch (error) {
        // GitHub answers 422, not 404, for a full sha that it does not know.
        if (error instanceof Failure && error.kind === 'conflict') return false;
        throw error;
      }
    },

    /** Null when GitHub does not know one of the two (any more, or not yet). */
    async compareCommits(repo: string, base: string, head: string): Promise<Comparison | null> {
      for (const sha of [base, head]) refusePartialSha(sha);
      return fetchUnlessGone(requests, repo, () => compare(`/repos/${repo}/compare/${base}...${head}`));
    },
  };
}

/** A 404 too, though both commits are known. */
function isUnrelated(error: unknown): boolean {
  if (!(error instanceof Failure) || error.kind !== 'not-found') return false;
  return error.cause instanceof Error && /^no common ancestor/i.test(error.cause.message);
}
