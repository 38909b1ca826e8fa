import { z } from 'zod';
import { followPages } from './pages.js';
import { PullDetails, PullFile, PullRequest } from './pull-models.js';
import type { Requests } from './request.js';

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
      const pages = await followPages(requests, first, PullRequest, closedLimit);
      return [...open, ...pages.flatMap(({ data }) => data).slice(0, closedLimit)];
    },

    /** The first ones; `changedFileCount` of the pull request says how many there are. GitHub lists 3,000 at most. */
    async fetchPullFiles(repo: string, number: number, limit: number): Promise<PullFile[]> {
      if (limit < 1) return [];
      const path = `/repos/${repo}/pulls/${number}/files`;
      const query = { per_page: Math.min(limit, 100) };
      const first = await requests.get(path, z.array(PullFile), { query });
      const pages = await followPages(requests, first, PullFile, limit);
      return pages.flatMap(({ data }) => data).slice(0, limit);
    },

    postPull: (repo: string, pull: { title: string; body: string; head: string; base: string }) =>
      requests.write('POST', `/repos/${repo}/pulls`, PullRequest, pull),
  };
}
