import type { Turn } from './turn.js';

/**
 * The order in which opened turns enter the queue: feedback and new work alternate and repositories take turns, so that
 * neither a storm of comments nor a heap of issues holds up the other. Feedback beyond the cap stays open for now.
 */
export function chooseTurns(
  open: readonly Turn[],
  carried: readonly Turn[],
  { maxQueuedFeedback }: { maxQueuedFeedback: number },
): Turn[] {
  const room = Math.max(0, maxQueuedFeedback - carried.filter(isFeedback).length);
  const feedback = takeTurns(open.filter(isFeedback)).slice(0, room);
  const fresh = takeTurns(open.filter((turn) => !isFeedback(turn)));
  return interleave(feedback, fresh);
}

function isFeedback({ prNumber }: Turn): boolean {
  return prNumber !== null;
}

/** One of each repository, then the next of each. */
function takeTurns(turns: readonly Turn[]): Turn[] {
  const byRepo = new Map<number, Turn[]>();
  for (const turn of turns) byRepo.set(turn.repoId, [...(byRepo.get(turn.repoId) ?? []), turn]);
  const longest = Math.max(0, ...[...byRepo.values()].map(({ length }) => length));
  return Array.from({ length: longest }, (_, round) =>
    [...byRepo.values()].flatMap((list) => list[round] ?? []),
  ).flat();
}

function interleave(a: readonly Turn[], b: readonly Turn[]): Turn[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => [a[i], b[i]])
    .flat()
    .filter((turn) => turn !== undefined);
}
