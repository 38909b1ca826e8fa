import type { RuntimeEventType } from '@mergexo/core/timeline';
import type { PlanResult } from '@mergexo/core/turns';
import type { CommitStatus, Review } from '@mergexo/github';
import type { Pull } from '@mergexo/state';
import { createStage, DEBOUNCE_MS, NAME, type Stage, type StageOptions } from './stage.js';

const change: PlanResult = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null };

/** A MergeXO pull request that waits for its first review. */
export type ReviewScene = {
  stage: Stage;
  pr: number;
  issue: number;
  branch: string;
  runId: number;
  /** Lets the debounce period pass, and runs one poller cycle. */
  poll(): Promise<void>;
  /** Posts every planned action and ends the turns. */
  settle(): Promise<void>;
  /** Returns the kinds of the turns that wait for a worker. */
  open(): string[];
  pull(): Pull;
  /** Returns MergeXO's reviews. Omits reviews without text, which contain only replies. */
  reviews(): Promise<Review[]>;
  comments(): Promise<string[]>;
  /** Returns the line comments. `rootId` is the first comment of the thread, or null for that comment itself. */
  reviewComments(): Promise<{ id: number; rootId: number | null; body: string }[]>;
  status(sha: string): Promise<CommitStatus | undefined>;
  labels(): Promise<string[]>;
  events(type: RuntimeEventType): Record<string, unknown>[];
  /** Returns the ids of resolved threads from the twin's history. */
  resolvedThreads(): number[];
};

export async function createReviewScene(options: StageOptions = {}): Promise<ReviewScene> {
  const stage = await createStage({ review: 'enabled = true', ...options });
  const issue = await stage.alice.openIssue(NAME, { title: 'Broken', body: 'x', labels: ['agent:bugfix'] });
  await stage.poll();
  const { runId, branch } = await stage.work(change);
  await stage.drain();
  const pr = stage.state.readRun(runId)?.prNumber ?? 0;
  const repoId = stage.repo.id;
  const scene: ReviewScene = {
    stage,
    pr,
    issue,
    branch,
    runId,
    poll: async () => {
      stage.advance(DEBOUNCE_MS);
      await stage.poll();
    },
    settle: async () => {
      for (let i = 0; i < 3; i += 1) await stage.drain();
    },
    open: () => stage.state.listTurnsInState('open').map(({ kind }) => kind),
    pull: () => {
      const known = stage.state.readPull(repoId, pr);
      if (known === undefined) throw new Error('no pull');
      return known;
    },
    reviews: async () => {
      const page = await stage.github.fetchReviews(NAME, pr, null);
      return page.kind === 'changed' ? page.rows.filter(({ body }) => body !== '') : [];
    },
    comments: async () => (await stage.github.fetchThread(NAME, pr)).comments.map(({ body }) => body),
    reviewComments: async () =>
      (await stage.github.fetchReviewComments(NAME, pr)).comments.map(({ id, inReplyToId, body }) => ({
        id,
        rootId: inReplyToId,
        body,
      })),
    status: async (sha) => {
      const page = await stage.github.fetchCommitStatuses(NAME, sha, null);
      return page.kind === 'changed' ? page.rows.find(({ name }) => name === 'mergexo/review') : undefined;
    },
    labels: async () => (await stage.github.fetchIssue(NAME, pr)).labels,
    events: (type) =>
      stage.state
        .listEventsOfIssue(repoId, issue)
        .filter((event) => event.type === type)
        .map(({ payload }) => ({ ...toRecord(payload) })),
    resolvedThreads: () => [
      ...new Set(
        stage.twin.history.list('write').flatMap((entry) => {
          if (entry.kind !== 'write') return [];
          return entry.row['resolvedById'] ? [entry.id] : [];
        }),
      ),
    ],
  };
  await scene.poll();
  await scene.poll();
  return scene;
}

function toRecord(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
