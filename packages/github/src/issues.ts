import { Failure } from '@mergexo/core/basics';
import { z } from 'zod';
import { createFind } from './fetch-unless-gone.js';
import { NEWEST_FIRST } from './http/pages.js';
import type { Requests } from './http/requests.js';
import { keyOf, type Memory } from './memory/create-memory.js';
import { versionOf } from './memory/freshness.js';
import { Issue, IssueComment, Repository, Viewer } from './models/issue-models.js';
import type { CommentReads } from './reading/comment-reads.js';

/** Requires only the id, because a comment was posted even if the response lacks other fields. */
const Posted = z.looseObject({ id: z.int() });

export type Thread = { issue: Issue; comments: IssueComment[] };

export function createIssues(requests: Requests, reads: CommentReads, memory: Memory) {
  const fetchIssue = async (repo: string, number: number): Promise<Issue> => {
    const startedAt = memory.now();
    const issue = (await requests.get(`/repos/${repo}/issues/${number}`, Issue)).data;
    if (issue.number !== number)
      throw new Failure('not-found', `${repo}#${number} was moved to ${issue.url}.`);
    memory.freshness.check(versionOf.issue(repo, issue));
    memory.keepIssue(repo, issue, startedAt);
    return issue;
  };

  const refreshIssue = async (repo: string, number: number, maxAgeMs = 0): Promise<Issue> =>
    memory.readUnchangedIssue(repo, number, maxAgeMs) ?? fetchIssue(repo, number);

  return {
    fetchViewer: async () => (await requests.get('/user', Viewer)).data,
    fetchRepository: async (repo: string) => (await requests.get(`/repos/${repo}`, Repository)).data,
    fetchIssue,
    /**
     * Returns the issue as it was at most `maxAgeMs` ago. Makes no request if the issue is known, and the issue or the
     * issues feed was read within that time.
     */
    refreshIssue,

    fetchOpenIssues: (repo: string, label: string) =>
      requests.getAll(`/repos/${repo}/issues`, Issue, { query: { state: 'open', labels: label } }),

    /** Returns the time of the latest change to any issue or pull request; null if the repository has none. */
    async fetchNewestUpdate(repo: string): Promise<string | null> {
      const query = { ...NEWEST_FIRST, state: 'all', per_page: 1 };
      const { data } = await requests.get(`/repos/${repo}/issues`, z.array(Issue), { query });
      return data[0]?.updatedAt ?? null;
    },

    /** Returns the complete thread or fails. With an incomplete list, MergeXO could post twice. */
    async fetchThread(repo: string, number: number): Promise<Thread> {
      const [comments, issue] = await Promise.all([
        reads.listComments(repo, number),
        fetchIssue(repo, number),
      ]);
      return { issue, comments: reads.keepComments(repo, issue, comments) };
    },

    /**
     * Like `fetchThread`, but lists the comments only if the number of known comments differs from GitHub's count. Do
     * not use this to search for a post: a deleted and a new comment leave the count unchanged.
     */
    async refreshThread(repo: string, number: number, maxAgeMs = 0): Promise<Thread> {
      const issue = memory.readIssue(repo, number, maxAgeMs) ?? (await fetchIssue(repo, number));
      const known = memory.comments.read(keyOf(repo, number), issue.commentCount);
      // Also keeps the empty list of an issue without comments, so that the first comment extends it.
      if (known?.length === 0) memory.comments.store(keyOf(repo, number), known);
      const comments = known ?? reads.keepComments(repo, issue, await reads.listComments(repo, number));
      return { issue, comments };
    },

    /** Fetches a comment; null if the comment was deleted. */
    fetchIssueComment: (repo: string, id: number): Promise<IssueComment | null> =>
      createFind(requests)({ repo, path: `issues/comments/${id}` }, IssueComment),

    async postIssueComment(repo: string, number: number, body: string): Promise<{ id: number }> {
      const posted = await requests.write(`POST /repos/${repo}/issues/${number}/comments`, Posted, { body });
      memory.noteOwnComment(repo, number, IssueComment.safeParse(posted).data);
      memory.forgetPull(repo, number);
      return { id: posted.id };
    },
  };
}
