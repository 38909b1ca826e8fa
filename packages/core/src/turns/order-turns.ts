import type { Turn } from './turn.js';
import { type FAMILY_TRAITS, type TurnFamily, traitsOf } from './turn-kind.js';

type Lane = (typeof FAMILY_TRAITS)[TurnFamily]['lane'];

/**
 * After this many feedback turns in a row, other work gets the next worker, so that many comments cannot starve new
 * issues.
 */
const MAX_FEEDBACK_IN_A_ROW = 4;

/** The fields of a begun turn that matter for sharing workers fairly. */
export type Begun = Pick<Turn, 'kind' | 'repoId'>;

/**
 * Returns the order in which free workers take waiting turns. Frozen plans come first, because they only need a push.
 * Feedback comes before other work. Reviews and starts alternate. Within each kind of work, the repositories take
 * turns. `waiting` is sorted oldest first, and `begun` newest last.
 */
export function orderTurns(waiting: readonly Turn[], begun: readonly Begun[]): Turn[] {
  const ordered = waiting.filter(({ planDigest }) => planDigest !== null);
  const left = waiting.filter(({ planDigest }) => planDigest === null);
  const past = [...begun];
  for (let next = chooseNext(left, past); next !== undefined; next = chooseNext(left, past)) {
    left.splice(left.indexOf(next), 1);
    past.push(next);
    ordered.push(next);
  }
  return ordered;
}

function chooseNext(left: readonly Turn[], past: readonly Begun[]): Turn | undefined {
  const lane = chooseLane(left, past);
  const ofLane = left.filter((turn) => laneOf(turn) === lane);
  const repo = leastRecent(
    ofLane.map(({ repoId }) => repoId),
    past.filter((turn) => laneOf(turn) === lane).map(({ repoId }) => repoId),
  );
  return ofLane.find(({ repoId }) => repoId === repo);
}

function chooseLane(left: readonly Turn[], past: readonly Begun[]): Lane | undefined {
  const lanes = left.map(laneOf);
  const others = lanes.filter((lane) => lane !== 'feedback');
  const recent = past.slice(-MAX_FEEDBACK_IN_A_ROW);
  const hadItsShare =
    recent.length === MAX_FEEDBACK_IN_A_ROW && recent.every((turn) => laneOf(turn) === 'feedback');
  if (others.length < lanes.length && (others.length === 0 || !hadItsShare)) return 'feedback';
  return leastRecent(others, past.map(laneOf));
}

function laneOf({ kind }: Begun): Lane {
  return traitsOf(kind).lane;
}

/** Returns the first candidate that was never chosen, or else the candidate that was chosen longest ago. */
function leastRecent<T>(candidates: readonly T[], past: readonly T[]): T | undefined {
  const last = new Map(past.map((item, index) => [item, index]));
  return [...new Set(candidates)].sort((a, b) => (last.get(a) ?? -1) - (last.get(b) ?? -1))[0];
}
