import type { Turn } from '@mergexo/core/turns';
import type { FeedbackEvent, Pull } from '@mergexo/state';
import type { Program } from '@mergexo/testkit';
import { createWalk, REPO, type Walk } from './walk.js';

export type PostedComment = { id: number; body: string; in_reply_to_id?: number };

/** A watched pull request in a walk of the whole product, with shortcuts for tests. */
export type Scene = {
  walk: Walk;
  poller: Program;
  worker: Program;
  pr: number;
  issue: number;
  branch: string;
  headSha: string;
  /** `replies` lists MergeXO's replies in line threads. `comments` lists its comments on the pull request. */
  replies(): Promise<PostedComment[]>;
  comments(): Promise<PostedComment[]>;
  pull(): Pull;
  turns(): Turn[];
  unprocessed(): FeedbackEvent[];
  onLine(body: string, line?: number): Promise<number>;
  until(check: () => unknown): Promise<void>;
  /** Waits until this many turns are done. */
  answered(count: number): Promise<void>;
  head(): Promise<string>;
  commits(): Promise<string[]>;
  writes(): number;
  aWhile(ms?: number): Promise<void>;
  close(): Promise<void>;
};

export async function createScene(options: Parameters<typeof createWalk>[0] = {}): Promise<Scene> {
  const walk = await createWalk(options);
  const poller = walk.startPoller();
  const worker = walk.startWorker();
  const { pr, issue, branch, headSha } = await walk.openPull('agent:small-job');

  const list = async (path: string): Promise<PostedComment[]> => {
    const rows = await walk.alice.request('GET', `/repos/${REPO}/${path}?per_page=100`);
    return Array.isArray(rows) ? rows.filter(({ body }) => body.includes('mergexo-action')) : [];
  };
  const pull = (): Pull =>
    walk.withState((state) => {
      const [repo] = state.listRepositories();
      const found = repo && state.readPull(repo.id, pr);
      if (found === undefined) throw new Error('no pull request');
      return found;
    });
  const turns = (): Turn[] =>
    walk.withState((state) => state.listTurnsOfRun(pull().runId).filter(({ prNumber }) => prNumber === pr));

  return {
    walk,
    poller,
    worker,
    pr,
    issue,
    branch,
    headSha,
    replies: () => list(`pulls/${pr}/comments`),
    comments: () => list(`issues/${pr}/comments`),
    pull,
    turns,
    unprocessed: () =>
      walk.withState((state) =>
        state.listEventsOfThread(pull().repoId, pr).filter(({ processedAt }) => processedAt === null),
      ),
    onLine: (body, line = 1) => walk.alice.reviewComment(REPO, pr, { path: 'fix.txt', line, body }),
    until: walk.until,
    answered: (count) =>
      walk.until(() => {
        const states = turns().map(({ state }) => state);
        if (states.length !== count || states.some((state) => state !== 'done'))
          throw new Error(`the turns are ${states.join(', ')}`);
      }),
    head: async () => Object(await walk.alice.request('GET', `/repos/${REPO}/pulls/${pr}`)).head.sha,
    commits: async () => {
      const rows = await walk.alice.request('GET', `/repos/${REPO}/pulls/${pr}/commits`);
      return Array.isArray(rows) ? rows.map(({ sha }) => sha) : [];
    },
    // Without reactions and edits of the status comment, which may follow the reply.
    writes: () =>
      walk.twin.history
        .list('request')
        .filter(({ method, path }) => method === 'POST' && !path.includes('/reactions')).length,
    aWhile: (ms = 1_500) => new Promise((resolve) => setTimeout(resolve, ms)),
    close: () => walk.close(),
  };
}
