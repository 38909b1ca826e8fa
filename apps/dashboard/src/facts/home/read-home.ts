import { findPause } from '@mergexo/core/runs';
import { TURN_STATE_NAMES } from '@mergexo/core/turns';
import {
  ATTENTION_STAGES,
  countWork,
  ENDED_STAGES,
  listWork,
  readFailedReview,
  type Snapshot,
  type Work,
  type WorkStage,
} from '@mergexo/state';
import { describeWait, type Wait } from '../describe-wait.js';
import { readFigures } from '../read-figures.js';
import { type Attention, describeAttention } from './describe-attention.js';
import { readRetry } from './find-retry.js';
import { type LatestLine, readLatestLine } from './read-latest-line.js';

export type Home = ReturnType<typeof readHome>;
export type Running = Work & {
  worker: string | null;
  since: number;
  heartbeatAt: number | null;
  line: LatestLine;
};
/** `canRetry`: an operator can start the work now instead of later. */
export type Queued = Work & Wait & { canRetry: boolean };
export type Ended = Work & { costUsd: number };

/** Rows per stage. The list of issues shows the rest. */
const SHOWN = 6;

/** Reads the start page: what waits for a person, what runs, what is next, and what ended last. */
export function readHome(facts: Snapshot, now: number) {
  const counts = countWork(facts, { isLive: true });
  const count = (stages: readonly WorkStage[]): number =>
    stages.reduce((total, stage) => total + (counts[stage] ?? 0), 0);
  const list = (stage: WorkStage): Work[] => {
    const isShown = (counts[stage] ?? 0) > 0;
    const page = { order: 'updated', descending: false, limit: SHOWN, offset: 0 } as const;
    return isShown ? listWork(facts, { isLive: true, stages: [stage] }, page) : [];
  };
  const newest = { order: 'updated', descending: true, limit: SHOWN, offset: 0 } as const;
  return {
    attention: ATTENTION_STAGES.flatMap(list).map((work): Attention => describeAttention(facts, work)),
    attentionCount: count(ATTENTION_STAGES),
    running: list('running').map((work) => describeRunning(facts, work)),
    runningCount: count(['running']),
    queued: list('queued').map((work): Queued => ({ ...work, ...readWait(facts, work, now) })),
    queuedCount: count(['queued']),
    ended: listWork(facts, { stages: ENDED_STAGES }, newest).map(
      (work): Ended => ({ ...work, costUsd: sumCost(facts, work) }),
    ),
    figures: readFigures(facts, now),
  };
}

/** Sums the cost of all runs of the issue, such as its design and its implementation. */
function sumCost({ state }: Snapshot, { repoId, issue }: Work): number {
  const costs = state.listRunsOfIssue(repoId, issue).map(({ id }) => state.sumSpendOfRun(id, 0).costUsd);
  return costs.reduce((total, cost) => total + cost, 0);
}

function describeRunning(facts: Snapshot, work: Work): Running {
  const turn = work.turnKey === null ? undefined : facts.state.readTurn(work.turnKey);
  if (turn === undefined) throw new Error(`the running turn of run ${work.runId} does not exist`);
  const { workerId: worker, heartbeatAt, openedAt: since, state } = turn;
  const step = state === 'running' ? readLatestLine(facts, turn.turnKey) : undefined;
  const line = step ?? { at: heartbeatAt ?? since, text: TURN_STATE_NAMES[state] };
  return { ...work, worker, since, heartbeatAt, line };
}

/** Reads what an issue waits for. Call this only for an issue that is neither running nor blocked. */
export function readWait(facts: Snapshot, work: Work, now: number): Wait & Pick<Queued, 'canRetry'> {
  const { state } = facts;
  const { repoId, issue: issueNumber, pr } = work;
  const run = state.readRun(work.runId);
  if (run === undefined) throw new Error(`the run ${work.runId} does not exist`);
  const pull = pr === null ? undefined : state.readPull(repoId, pr);
  const pause = findPause(state.listPauses(), { repoId, issueNumber });
  const wait = describeWait({
    run,
    pull,
    turn: work.turnKey === null ? undefined : state.readTurn(work.turnKey),
    pause,
    failedReview: pull && readFailedReview(state, pull),
    pending: state.listUnclaimedEvents(repoId, pr ?? issueNumber).length,
    now,
  });
  return { ...wait, canRetry: pause === undefined && readRetry(facts, work, now) !== undefined };
}
