import type { RuntimeEventType } from '@mergexo/core/timeline';
import type { PlanResult } from '@mergexo/core/turns';
import type { CommitStatus, Review } from '@mergexo/github';
import type { Pull } from '@mergexo/state';
import { createStage, DEBOUNCE_MS, NAME, type Stage, type StageOptions } from './stage.js';

const change: PlanResult = { kind: 'pull', title: 'Mend it', summary: 'Mended.', design: null };

/** A pull request of ours that waits for its first review. */
export type ReviewScene = {
  stage: Stage;
  pr: number;
  issue: number;
  branch: string;
  runId: number;
  /** One cycle of the poller, after a while. */
  poll(): Promise<void>;
  /** Everything that is planned is said, and turns end. */
  settle(): Promise<void>;
  /** The kinds of the turns that wait for a worker. */
  open(): string[];
  pull(): Pull;
  /** All that we reviewed; replies come in reviews of their own, without text. */
  reviews(): Promise<Review[]>;
  comments(): Promise<string[]>;
  /** Bodies of the comments on lines, with the first comment of their thread. */
  lines(): Promise<{ id: number; rootId: number | null; body: string }[]>;
  status(sha: string): Promise<CommitStatus | undefined>;
  labels(): Promise<string[]>;
  events(type: RuntimeEventType): Record<string, unknown>[];
  /** Payloads of the twin's own records. */
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
    lines: async () =>
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
        stage.twin.control.listHistory('write', 0).flatMap((entry) => {
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
