import { Failure } from '@mergexo/core/basics';
import { z } from 'zod';
import { NEWEST_FIRST, readRows } from './http/pages.js';
import type { Requests } from './http/requests.js';
import { keyOf, type Memory } from './memory/create-memory.js';
import { versionOf } from './memory/freshness.js';
import { PullDetails, PullFile, PullRequest } from './models/pull-models.js';

const MOST_FILES = 3_000;

const FIND_MERGE = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { mergeCommit { oid } } }
}`;
const FoundMerge = z.object({
  repository: z.object({
    pullRequest: z.object({ mergeCommit: z.object({ oid: z.string() }).nullable() }).nullable(),
  }),
});

export function createPulls(requests: Requests, memory: Memory) {
  return {
    async fetchPull(repo: string, number: number): Promise<PullDetails> {
      const { data } = await requests.get(`/repos/${repo}/pulls/${number}`, PullDetails);
      memory.freshness.check(versionOf.pull(repo, data));
      return data;
    },

    /**
     * Returns the commit that a merged pull request made on its base branch; null if GitHub knows none. Newer API
     * versions name it only in GraphQL.
     */
    async fetchMergeCommit(
      repo: string,
      { number, mergeCommitSha }: Pick<PullRequest, 'number' | 'mergeCommitSha'>,
    ): Promise<string | null> {
      if (mergeCommitSha !== null) return mergeCommitSha;
      const [owner, name] = repo.split('/');
      const variables = { owner, name, number };
      const found = await requests.askGraph({ kind: 'query', repo, text: FIND_MERGE, variables }, FoundMerge);
      if (found?.repository.pullRequest != null) return found.repository.pullRequest.mergeCommit?.oid ?? null;
      throw new Failure('unavailable', `GitHub did not name the merge commit of ${repo}#${number}.`);
    },

    /** Returns the open, closed and merged pull requests of a branch, oldest first. */
    async fetchPullsOfBranch(repo: string, branch: string): Promise<PullRequest[]> {
      const owner = repo.split('/')[0];
      const query = { head: `${owner}:${branch}`, state: 'all', sort: 'created', direction: 'asc' };
      return requests.getAll(`/repos/${repo}/pulls`, PullRequest, { query });
    },

    /** Returns all open pull requests, and the most recently changed closed ones. */
    async fetchKnownPulls(repo: string, closedLimit: number): Promise<PullRequest[]> {
      const path = `/repos/${repo}/pulls`;
      const open = await requests.getAll(path, PullRequest, { query: { state: 'open' } });
      const query = { state: 'closed', ...NEWEST_FIRST };
      const closed = { path, page: z.array(PullRequest), query, limit: closedLimit };
      return [...open, ...(await readRows(requests, closed)).slice(0, closedLimit)];
    },

    /**
     * Returns the files changed since the base, as of one moment. `complete` is false at GitHub's limit of 3,000
     * files.
     */
    async fetchPullFiles(repo: string, number: number): Promise<{ files: PullFile[]; complete: boolean }> {
      const path = `/repos/${repo}/pulls/${number}/files`;
      const files = await requests.getAll(path, PullFile, { limit: MOST_FILES });
      return { files: files.slice(0, MOST_FILES), complete: files.length < MOST_FILES };
    },

    async postPull(
      repo: string,
      pull: { title: string; body: string; head: string; base: string },
    ): Promise<PullRequest> {
      const opened = await requests.write(`POST /repos/${repo}/pulls`, PullRequest, pull);
      const { number, headSha } = opened;
      memory.comments.store(keyOf(repo, number), []);
      memory.lines.store(keyOf(repo, number), [], headSha);
      return opened;
    },

    /**
     * Updates the body. GitHub may accept a body that is too long but keep the old one, so compare the body in the
     * response.
     */
    updatePullBody(repo: string, number: number, body: string): Promise<PullDetails> {
      const updated = requests.write(`PATCH /repos/${repo}/pulls/${number}`, PullDetails, { body });
      return updated.finally(() => memory.forgetPull(repo, number));
    },
  };
}
