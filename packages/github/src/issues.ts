import { Failure } from '@mergexo/core/basics';
import { z } from 'zod';
import type { CheckCount } from './check-count.js';
import { fetchUnlessGone } from './fetch-unless-gone.js';
import { keepOnePer } from './http/pages.js';
import type { Requests } from './http/requests.js';
import { Issue, IssueComment, Repository, Viewer } from './models/issue-models.js';

const Created = z.object({ id: z.int() });
const Label = z.object({ name: z.string() });
export type NewLabel = { name: string; color: string; description: string };

export type Issues = ReturnType<typeof createIssues>;

export function createIssues(requests: Requests, checkCount: CheckCount) {
  const fetchIssue = async (repo: string, number: number): Promise<Issue> => {
    const issue = (await requests.get(`/repos/${repo}/issues/${number}`, Issue)).data;
    if (issue.number === number) return issue;
    throw new Failure('not-found', `${repo}#${number} was moved: GitHub answers with ${issue.url}.`);
  };

  return {
    fetchViewer: async () => (await requests.get('/user', Viewer)).data,
    fetchRepository: async (repo: string) => (await requests.get(`/repos/${repo}`, Repository)).data,
    fetchIssue,

    fetchOpenIssues: (repo: string, label: string) =>
      requests.getAll(`/repos/${repo}/issues`, Issue, { state: 'open', labels: label }),

    /** When anything in the repository last changed; null while there is nothing. */
    async fetchNewestUpdate(repo: string): Promise<string | null> {
      const query = { state: 'all', sort: 'updated', direction: 'desc', per_page: 1 };
      const { data } = await requests.get(`/repos/${repo}/issues`, z.array(Issue), { query });
      return data[0]?.updatedAt ?? null;
    },

    /** Complete or not at all: a list that lags behind the issue's own count would make us say things twice. */
    async fetchThread(repo: string, number: number): Promise<{ issue: Issue; comments: IssueComment[] }> {
      const path = `/repos/${repo}/issues/${number}/comments`;
      const comments = keepOnePer(({ id }) => id, await requests.getAll(path, IssueComment));
      const issue = await fetchIssue(repo, number);
      checkCount(`comments of ${repo}#${number}`, comments.length, issue.commentCount);
      return { issue, comments };
    },

    /** Null when it was deleted. */
    fetchIssueComment: (repo: string, id: number): Promise<IssueComment | null> =>
      fetchUnlessGone(
        requests,
        repo,
        async () => (await requests.get(`/repos/${repo}/issues/comments/${id}`, IssueComment)).data,
      ),

    /** What is there is kept as it is: people may have changed its colour and words. */
    async ensureLabel(repo: string, label: NewLabel): Promise<'created' | 'kept'> {
      const path = `/repos/${repo}/labels`;
      const read = () => requests.get(`${path}/${encodeURIComponent(label.name)}`, Label);
      if ((await fetchUnlessGone(requests, repo, read)) !== null) return 'kept';
      try {
        await requests.write('POST', path, Label, label);
        return 'created';
      } catch (error) {
        // Somebody else made it meanwhile, or ours came through without an answer. Else the second look says why not.
        if (!(error instanceof Failure) || !['conflict', 'unknown-outcome'].includes(error.kind)) throw error;
        if ((await fetchUnlessGone(requests, repo, read)) === null) throw error;
        return error.kind === 'conflict' ? 'kept' : 'created';
      }
    },

    /** On an issue or a pull request; answers with all that it has then. What is there already stays. */
    async addLabels(repo: string, number: number, labels: readonly string[]): Promise<string[]> {
      const path = `/repos/${repo}/issues/${number}/labels`;
      return (await requests.write('POST', path, z.array(Label), { labels })).map(({ name }) => name);
    },

    /** Answers with those that are left. 'not-found' when it was not there. */
    async removeLabel(repo: string, number: number, label: string): Promise<string[]> {
      const path = `/repos/${repo}/issues/${number}/labels/${encodeURIComponent(label)}`;
      return (await requests.write('DELETE', path, z.array(Label), {})).map(({ name }) => name);
    },

    postIssueComment: (repo: string, number: number, body: string) =>
      requests.write('POST', `/repos/${repo}/issues/${number}/comments`, Created, { body }),
  };
}
