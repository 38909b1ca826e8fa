import {
  type BlockedStart,
  type Checked,
  checkDependencies,
  type Dependent,
  type SettledWork,
} from './check-dependencies.js';
import { createFootprintMaker, type Footprint, listShared } from './footprint.js';
import { explainBlocked, type HeldReason } from './held-reason.js';
import { measureConflict, type Size } from './measure-conflict.js';
import { createPathIndex } from './path-index.js';
import type { SchedulerWeights } from './weights.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Tolerance for comparisons, because floating-point sums are inexact: 0.2 + 0.1 is slightly more than 0.3. */
const ROUNDING = 1e-9;

/** A merged design that is not implemented yet. */
export type Candidate = Dependent & {
  runId: number;
  /** 1 (low) to 5 (high). */
  priority: number;
  touchPaths: readonly string[];
  size: Size;
};

/** An open pull request with the files that it changes, or a running implementation with its touch paths. */
export type ActiveWork = { issueNumber: number | null; prNumber: number | null; paths: readonly string[] };

/** The facts about one repository from which implementations are chosen. */
export type ImplementationQuestion = {
  /** The full name of the repository. */
  repo: string;
  candidates: readonly Candidate[];
  active: readonly ActiveWork[];
  settled: readonly SettledWork[];
  /** Other work that waits for issues. Can be part of a cycle, but is not chosen. */
  blockedStarts: readonly BlockedStart[];
  /** Number of free slots. */
  free: number;
  /** Pull requests that are waiting for people, and the allowed maximum. */
  pulls: { open: number; max: number };
  nowMs: number;
  weights: SchedulerWeights;
};

export type Ranked = { candidate: Candidate; score: number; risk: number };
export type Held = Ranked & { reason: HeldReason };
/** `chosen` lists the best candidate first. A cycle is a list of issue numbers. */
export type ImplementationChoice = { chosen: Ranked[]; held: Held[]; cycles: number[][] };

type Work = { issueNumber: number | null; prNumber: number | null; footprint: Footprint };
type Entry = Checked<Candidate> & {
  footprint: Footprint;
  daysWaiting: number;
  risk: number;
  /** The active work with the highest risk of a conflict; null if no active work shares a module. */
  worst: Work | null;
};

/**
 * Repeatedly takes the best candidate that fits and counts it as active. A candidate that overlaps active work waits
 * until that work ends or its own patience runs out. After that, only the score counts, which grows with the waiting
 * time.
 */
export function chooseImplementations(question: ImplementationQuestion): ImplementationChoice {
  const { free, pulls, weights } = question;
  const { entries, works, cycles } = buildEntries(question);
  updateRisks(entries, works, weights);

  const waiting = new Set(entries);
  const chosen: Ranked[] = [];
  while (chosen.length < Math.min(free, pulls.max - pulls.open)) {
    const best = findBest(waiting, weights);
    if (best === null) break;
    waiting.delete(best);
    chosen.push(rank(best, weights));
    const { issueNumber } = best.candidate;
    updateRisks(waiting, [{ issueNumber, prNumber: null, footprint: best.footprint }], weights);
  }
  return { chosen, held: explainHeld([...waiting], question), cycles };
}

/** Sorts by the tie-breakers, so that the input order never matters. */
function buildEntries(question: ImplementationQuestion) {
  const { candidates, active, nowMs, weights } = question;
  const makeFootprint = createFootprintMaker();
  const sorted = candidates.toSorted(
    (a, b) => a.readySinceMs - b.readySinceMs || a.issueNumber - b.issueNumber || a.runId - b.runId,
  );
  const { checked, cycles } = checkDependencies(sorted, question);
  const entries = checked.map(
    (state): Entry => ({
      ...state,
      footprint: makeFootprint(state.candidate.touchPaths),
      daysWaiting: Math.max(0, nowMs - state.startableSinceMs) / DAY_MS,
      risk: measureConflict(state.candidate.size, null, weights),
      worst: null,
    }),
  );
  const works = active
    .map(
      ({ issueNumber, prNumber, paths }): Work => ({
        issueNumber,
        prNumber,
        footprint: makeFootprint(paths),
      }),
    )
    .sort((a, b) => (a.prNumber ?? a.issueNumber ?? 0) - (b.prNumber ?? b.issueNumber ?? 0));
  return { entries, works, cycles };
}

/**
 * Uses the highest conflict risk with any active work, because an average over all active work would hide that risk.
 */
function updateRisks(entries: Iterable<Entry>, works: readonly Work[], weights: SchedulerWeights): void {
  const index = createPathIndex(works);
  for (const entry of entries) {
    const { candidate, footprint } = entry;
    for (const { work, mine, theirs } of index.findEncounters(footprint)) {
      const counts = {
        mine: footprint.count,
        theirs: work.footprint.count,
        mineMet: mine,
        theirsMet: theirs,
      };
      const risk = measureConflict(candidate.size, counts, weights);
      if (entry.worst !== null && risk <= entry.risk) continue;
      entry.risk = risk;
      entry.worst = work;
    }
  }
}

function findBest(entries: Iterable<Entry>, weights: SchedulerWeights): Entry | null {
  let best: Entry | null = null;
  for (const entry of entries) {
    const mustWait = entry.unmet.length > 0 || entry.candidate.blockedBy !== null;
    if (mustWait || mustGiveWay(entry, weights)) continue;
    if (best === null || scoreOf(entry, weights) > scoreOf(best, weights)) best = entry;
  }
  return best;
}

function mustGiveWay({ worst, risk, daysWaiting }: Entry, weights: SchedulerWeights): boolean {
  if (worst === null || daysWaiting >= weights.patienceDays) return false;
  return risk > weights.conflictThreshold + ROUNDING;
}

function scoreOf({ candidate, risk, daysWaiting }: Entry, weights: SchedulerWeights): number {
  const { priorityWeight, conflictWeight, stalenessPenalty } = weights;
  return priorityWeight * candidate.priority - conflictWeight * risk - stalenessPenalty * daysWaiting;
}

function rank(entry: Entry, weights: SchedulerWeights): Ranked {
  return { candidate: entry.candidate, score: scoreOf(entry, weights), risk: entry.risk };
}

function explainHeld(
  entries: readonly Entry[],
  { repo, free, pulls, weights }: ImplementationQuestion,
): Held[] {
  const isFull = pulls.max - pulls.open < free;
  let place = 0;
  const explain = (entry: Entry): HeldReason => {
    const { cycle, unmet, idle, worst } = entry;
    if (cycle !== null) return { kind: 'dependency-cycle', members: cycle };
    const { blockedBy } = entry.candidate;
    if (blockedBy !== null) return explainBlocked(blockedBy, repo);
    if (unmet.length > 0) return { kind: 'depends-on', unmet, idle };
    if (worst !== null && mustGiveWay(entry, weights)) {
      const { issueNumber, prNumber, footprint } = worst;
      return { kind: 'overlaps', issueNumber, prNumber, paths: listShared(entry.footprint, footprint) };
    }
    if (isFull) return { kind: 'too-many-open-prs', ...pulls };
    place += 1;
    return { kind: 'no-free-slot', place };
  };
  return entries
    .toSorted((a, b) => scoreOf(b, weights) - scoreOf(a, weights))
    .map((entry) => ({ ...rank(entry, weights), reason: explain(entry) }));
}
