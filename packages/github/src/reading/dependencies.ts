import { z } from 'zod';
import { fetchUnlessGone } from '../fetch-unless-gone.js';
import type { FeedPage } from '../http/pages.js';
import { readPagesIfChanged } from '../http/pages-if-changed.js';
import type { Requests } from '../http/requests.js';
import { BlockingIssue } from '../models/issue-models.js';

export function createDependencies(requests: Requests) {
  return {
    /**
     * Returns the open and closed issues that block an issue, with one conditional request. The list is empty if the
     * issue is gone, and on Enterprise Server before 3.19, which has no such list.
     */
    async fetchBlockers(repo: string, number: number, etag: string | null): Promise<FeedPage<BlockingIssue>> {
      const path = `/repos/${repo}/issues/${number}/dependencies/blocked_by`;
      const list = { path, page: z.array(BlockingIssue) };
      const page = await fetchUnlessGone(requests, repo, () => readPagesIfChanged(requests, list, etag));
      return page ?? { kind: 'changed', rows: [], etag: null };
    },
  };
}
