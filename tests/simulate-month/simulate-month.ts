import {
  type Candidate,
  chooseImplementations,
  DEFAULT_WEIGHTS,
  type SchedulerWeights,
} from '@mergexo/core/scheduler';
import { type Design, drawMonth, MONTH_HOURS } from './distribution.js';

const HOUR_MS = 3_600_000;
/** Interval between two runs of the scheduler. */
const STEP_HOURS = 0.5;
/** Delay that a conflict adds to the pull request that is merged later. */
const REWORK_HOURS = 4;

type Work = { design: Design; startedAt: number; endsAt: number };
type Merged = { issueNumber: number; at: number };

/** The input of a scheduler. A scheduler returns the designs to start now. */
export type Moment = {
  now: number;
  free: number;
  /** Designs that wait for their start, oldest first. */
  waiting: readonly Design[];
  active: readonly Work[];
  merged: readonly Merged[];
};
export type Choose = (moment: Moment) => Design[];

/** `waits` are in hours, from the merge of the design to the start of its implementation. */
export type MonthResult = { merged: number; conflicts: number; waits: readonly number[] };

/**
 * Simulates the month. Two implementations conflict if they touch a common file and one is merged between the other's
 * start and merge.
 */
export function simulateMonth(seed: number, slots: number, choose: Choose): MonthResult {
  const arriving = drawMonth(seed);
  const waiting: Design[] = [];
  const merged: Merged[] = [];
  const waits: number[] = [];
  let active: Work[] = [];
  let conflicts = 0;
  for (let now = 0; now <= MONTH_HOURS; now += STEP_HOURS) {
    while (arriving[0] !== undefined && arriving[0].arrivesAt <= now) waiting.push(...arriving.splice(0, 1));
    for (let done = findDone(active, now); done !== undefined; done = findDone(active, now)) {
      active = active.filter((work) => work !== done);
      merged.push({ issueNumber: done.design.issueNumber, at: done.endsAt });
      for (const work of active.filter(({ design }) => sharesFile(design, done.design))) {
        conflicts += 1;
        work.endsAt += REWORK_HOURS;
      }
    }
    const free = slots - active.length;
    if (free <= 0) continue;
    for (const design of choose({ now, free, waiting, active, merged })) {
      waiting.splice(waiting.indexOf(design), 1);
      waits.push(now - design.arrivesAt);
      active.push({ design, startedAt: now, endsAt: now + design.lifeHours });
    }
  }
  return { merged: merged.length, conflicts, waits };
}

function findDone(active: readonly Work[], now: number): Work | undefined {
  return active.filter(({ endsAt }) => endsAt <= now).sort((a, b) => a.endsAt - b.endsAt)[0];
}

function sharesFile(a: Design, b: Design): boolean {
  return a.files.some((file) => b.files.includes(file));
}

/** First come, first served. Only dependencies delay a start. */
export const chooseByArrival: Choose = ({ free, waiting, merged }) => {
  const isMerged = new Set(merged.map(({ issueNumber }) => issueNumber));
  return waiting.filter(({ dependsOn }) => dependsOn.every((one) => isMerged.has(one))).slice(0, free);
};

/** Like MergeXO, uses the touch paths of running work and the changed files of open pull requests. */
export const chooseByConflict =
  (weights: SchedulerWeights = DEFAULT_WEIGHTS): Choose =>
  ({ now, free, waiting, active, merged }) => {
    const { chosen } = chooseImplementations({
      repo: 'acme/app',
      blockedStarts: [],
      candidates: waiting.map(toCandidate),
      active: active.map(({ design, startedAt }) => ({
        issueNumber: design.issueNumber,
        prNumber: null,
        paths: now < startedAt + design.agentHours ? design.touchPaths : design.files,
      })),
      settled: merged.map(({ issueNumber, at }) => ({
        issueNumber,
        documentPath: null,
        settledAtMs: at * HOUR_MS,
      })),
      free,
      pulls: { open: 0, max: Number.MAX_SAFE_INTEGER },
      nowMs: now * HOUR_MS,
      weights,
    });
    return chosen.flatMap(({ candidate }) =>
      waiting.filter(({ issueNumber }) => issueNumber === candidate.issueNumber),
    );
  };

function toCandidate({ issueNumber, priority, touchPaths, dependsOn, size, arrivesAt }: Design): Candidate {
  const name = { runId: issueNumber, issueNumber, documentPath: `docs/design/${issueNumber}-x.md` };
  return {
    ...name,
    priority,
    touchPaths,
    dependsOn,
    size,
    readySinceMs: arrivesAt * HOUR_MS,
    blockedBy: null,
  };
}
