import type { Dependency } from '../frontmatter/frontmatter.js';
import { findCycles } from './find-cycles.js';

export type Dependent = {
  issueNumber: number;
  documentPath: string;
  dependsOn: readonly Dependency[];
  readySinceMs: number;
};
/** Merged work, which no longer delays other work. */
export type SettledWork = { issueNumber: number; documentPath: string | null; settledAtMs: number };

export type Checked<Candidate> = {
  candidate: Candidate;
  /** Dependencies that are not merged yet. */
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

export function checkDependencies<Candidate extends Dependent>(
  candidates: readonly Candidate[],
  active: readonly { issueNumber: number | null }[],
  settled: readonly SettledWork[],
): { checked: Checked<Candidate>[]; cycles: number[][] } {
  const settledAt = new Map(settled.flatMap((work) => keysOf(work).map((key) => [key, work.settledAtMs])));
  const underWay = new Set([
    ...candidates.flatMap(keysOf),
    ...active.map(({ issueNumber }) => `#${issueNumber}`),
  ]);
  const isUnmet = (one: Dependency): boolean => !settledAt.has(keyOf(one));
  const { cycles, cycleOf } = groupCycles(candidates, isUnmet);

  const checked = candidates.map((candidate) => {
    const unmet = candidate.dependsOn.filter(isUnmet);
    const settledTimes = candidate.dependsOn.map((one) => settledAt.get(keyOf(one)) ?? 0);
    return {
      candidate,
      unmet,
      idle: unmet.filter((one) => !underWay.has(keyOf(one))),
      cycle: cycleOf.get(candidate) ?? null,
      startableSinceMs: Math.max(candidate.readySinceMs, ...settledTimes),
    };
  });
  return { checked, cycles };
}

function groupCycles(candidates: readonly Dependent[], isUnmet: (one: Dependency) => boolean) {
  const indexes = new Map<string, number[]>();
  for (const [index, candidate] of candidates.entries()) {
    for (const key of keysOf(candidate)) indexes.set(key, [...(indexes.get(key) ?? []), index]);
  }
  const graph = candidates.map(({ dependsOn }) =>
    dependsOn.filter(isUnmet).flatMap((one) => indexes.get(keyOf(one)) ?? []),
  );
  const cycleOf = new Map<Dependent, number[]>();
  const cycles = findCycles(graph).map((group) => {
    const members = group.flatMap((index) => candidates[index] ?? []);
    const issues = [...new Set(members.map(({ issueNumber }) => issueNumber))].sort((a, b) => a - b);
    for (const member of members) cycleOf.set(member, issues);
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
