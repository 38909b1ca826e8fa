import { PullRequest } from './models.js';
import type { Requests } from './request.js';

export type Pulls = ReturnType<typeof createPulls>;

export function createPulls(requests: Requests) {
  return {
    fetchPull: async (repo: string, number: number) =>
      (await requests.get(`/repos/${repo}/pulls/${number}`, PullRequest)).data,

    /** Open, closed and merged ones, oldest first. */
    async fetchPullsOfBranch(repo: string, branch: string): Promise<PullRequest[]> {
      const owner = repo.split('/')[0];
      const query = { head: `${owner}:${branch}`, state: 'all', sort: 'created', direction: 'asc' };
      return requests.getAll(`/repos/${repo}/pulls`, PullRequest, query);
    },

    postPull: (repo: string, pull: { title: string; body: string; head: string; base: string }) =>
      requests.write('POST', `/repos/${repo}/pulls`, PullRequest, pull),
  };
}
