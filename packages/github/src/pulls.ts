import { z } from 'zod';
import type { FeedPage } from './http/feed-page.js';
import { followPages } from './http/pages.js';
import type { Requests } from './http/requests.js';
import { PullDetails, PullFile, PullRequest } from './models/pull-models.js';

const MOST_FILES = 3_000;

export type Pulls = ReturnType<typeof createPulls>;

export function createPulls(requests: Requests) {
  return {
    fetchPull: async (repo: string, number: number) =>
      (await requests.get(`/repos/${repo}/pulls/${number}`, PullDetails)).data,

    /** Open, closed and merged ones, oldest first. */
    async fetchPullsOfBranch(repo: string, branch: string): Promise<PullRequest[]> {
      const owner = repo.split('/')[0];
      const query = { head: `${owner}:${branch}`, state: 'all', sort: 'created', direction: 'asc' };
      return requests.getAll(`/repos/${repo}/pulls`, PullRequest, query);
    },

    /** All open ones, and of the others those that changed last. */
    async fetchKnownPulls(repo: string, closedLimit: number): Promise<PullRequest[]> {
      const path = `/repos/${repo}/pulls`;
      const open = await requests.getAll(path, PullRequest, { state: 'open' });
      const query = { state: 'closed', sort: 'updated', direction: 'desc', per_page: 100 };
      const first = await requests.get(path, z.array(PullRequest), { query });
      const pages = await followPages(requests, first, z.array(PullRequest), closedLimit);
      return [...open, ...pages.flatMap(({ data }) => data).slice(0, closedLimit)];
    },

    /**
     * What changed since the base, as it was at one moment. GitHub lists 3,000 files at most: then `complete` is false,
     * and `changedFileCount` of the pull request says how many there are.
     */
    async fetchPullFiles(repo: string, number: number): Promise<{ files: PullFile[]; complete: boolean }> {
      const path = `/repos/${repo}/pulls/${number}/files`;
      const files = await requests.getAll(path, PullFile, {}, { limit: MOST_FILES });
      return { files: files.slice(0, MOST_FILES), complete: files.length < MOST_FILES };
    },

    /** Those of the last hundred closed ones that were merged, newest change first. With nothing new it costs nothing. */
    async fetchMergedPulls(repo: string, { etag }: { etag: string | null }): Promise<FeedPage<PullRequest>> {
      const query = { state: 'closed', sort: 'updated', direction: 'desc', per_page: 100 };
      const path = `/repos/${repo}/pulls`;
      const answer = await requests.getIfChanged(path, z.array(PullRequest), { query, etag });
      if (answer === undefined) return { kind: 'unchanged' };
      const rows = answer.data.filter(({ status }) => status === 'merged');
      return { kind: 'changed', rows, etag: answer.etag };
    },

    postPull: (repo: string, pull: { title: string; body: string; head: string; base: string }) =>
      requests.write('POST', `/repos/${repo}/pulls`, PullRequest, pull),

    /** GitHub is known to say yes to a body that is too long and to keep the old one: compare the one in the answer. */
    updatePullBody: (repo: string, number: number, body: string): Promise<PullDetails> =>
      requests.write('PATCH', `/repos/${repo}/pulls/${number}`, PullDetails, { body }),
  };
}
