import type { Dependency } from '../frontmatter/frontmatter.js';
import { type BlockedBy, listOwnBlockers } from './blockers.js';
import { findCycles } from './find-cycles.js';

export type Dependent = {
  issueNumber: number;
  documentPath: string;
  dependsOn: readonly Dependency[];
  readySinceMs: number;
  /** The open issues that block this one on GitHub; null if there are none. */
  blockedBy: BlockedBy | null;
};
/** Work that waits for its first turn because other issues block it on GitHub. */
export type BlockedStart = { issueNumber: number; blockedBy: BlockedBy };
/** Merged work, which no longer delays other work. */
export type SettledWork = { issueNumber: number; documentPath: string | null; settledAtMs: number };

export type Checked<Candidate> = {
  candidate: Candidate;
  /** Dependencies of the document that are not merged yet. */
  unmet: readonly Dependency[];
  /** Unmet dependencies whose implementation is neither active nor a candidate. */
  idle: readonly Dependency[];
  /** The issues of the dependency cycle that the candidate is part of; null if there is none. */
  cycle: readonly number[] | null;
  /**
   * When the design or its last dependency was merged, whichever is later. From then on, the candidate waits
   * only for a free slot. Ignores unmet dependencies.
   */
  startableSinceMs: number;
};

type Work = {
  repo: string;
  active: readonly { issueNumber: number | null }[];
  settled: readonly SettledWork[];
  blockedStarts: readonly BlockedStart[];
};

export function checkDependencies<Candidate extends Dependent>(
  candidates: readonly Candidate[],
  { repo, active, settled, blockedStarts }: Work,
): { checked: Checked<Candidate>[]; cycles: number[][] } {
  const settledAt = new Map(settled.flatMap((work) => keysOf(work).map((key) => [key, work.settledAtMs])));
  const underWay = new Set([
    ...candidates.flatMap(keysOf),
    ...active.map(({ issueNumber }) => `#${issueNumber}`),
  ]);
  const isUnmet = (one: Dependency): boolean => !settledAt.has(keyOf(one));
  const waiting = [
    ...candidates.map((one) => toWaiting(one, repo, isUnmet)),
    ...blockedStarts.map((one) => toWaitingStart(one, repo)),
  ];
  const { cycles, cycleOf } = groupCycles(waiting);

  const checked = candidates.map((candidate, index) => {
    const unmet = candidate.dependsOn.filter(isUnmet);
    const settledTimes = candidate.dependsOn.map((one) => settledAt.get(keyOf(one)) ?? 0);
    return {
      candidate,
      unmet,
      idle: unmet.filter((one) => !underWay.has(keyOf(one))),
      cycle: cycleOf.get(index) ?? null,
      startableSinceMs: Math.max(candidate.readySinceMs, ...settledTimes),
    };
  });
  return { checked, cycles };
}

/** Work that waits for other work, named by its issue and its document. */
type Waiting = { issueNumber: number; keys: readonly string[]; waitsFor: readonly string[] };

function toWaiting(candidate: Dependent, repo: string, isUnmet: (one: Dependency) => boolean): Waiting {
  const { issueNumber, dependsOn, blockedBy } = candidate;
  const blockers = blockedBy === null ? [] : listOwnBlockers(blockedBy, repo);
  const waitsFor = [...dependsOn.filter(isUnmet), ...blockers].map(keyOf);
  return { issueNumber, keys: keysOf(candidate), waitsFor };
}

function toWaitingStart({ issueNumber, blockedBy }: BlockedStart, repo: string): Waiting {
  return {
    issueNumber,
    keys: [keyOf(issueNumber)],
    waitsFor: listOwnBlockers(blockedBy, repo).map(keyOf),
  };
}

/** Finds the cycles, and the cycle of each entry by its index. */
function groupCycles(waiting: readonly Waiting[]) {
  const indexes = new Map<string, number[]>();
  for (const [index, { keys }] of waiting.entries()) {
    for (const key of keys) indexes.set(key, [...(indexes.get(key) ?? []), index]);
  }
  const graph = waiting.map(({ waitsFor }) => waitsFor.flatMap((key) => indexes.get(key) ?? []));
  const cycleOf = new Map<number, number[]>();
  const cycles = findCycles(graph).map((group) => {
    const members = group.flatMap((index) => waiting[index] ?? []);
    const issues = [...new Set(members.map(({ issueNumber }) => issueNumber))].sort((a, b) => a - b);
    for (const index of group) cycleOf.set(index, issues);
    return issues;
  });
  return { cycles: cycles.sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0)), cycleOf };
}

function keysOf({ issueNumber, documentPath }: Omit<SettledWork, 'settledAtMs'>): string[] {
  return documentPath === null ? [keyOf(issueNumber)] : [keyOf(issueNumber), documentPath];
}

function keyOf(dependency: Dependency): string {
  return typeof dependency === 'number' ? `#${dependency}` : dependency;
}
