import { type Begun, orderTurns } from './order-turns.js';
import type { Turn } from './turn.js';

/** Chooses the open turns to queue now. Turns on pull requests beyond `maxQueuedFeedback` stay open. */
export function chooseTurns(
  open: readonly Turn[],
  {
    carried,
    begun,
    maxQueuedFeedback,
  }: { carried: readonly Turn[]; begun: readonly Begun[]; maxQueuedFeedback: number },
): Turn[] {
  const room = Math.max(0, maxQueuedFeedback - carried.filter(isOnPull).length);
  const held = new Set(orderTurns(open, begun).filter(isOnPull).slice(room));
  return open.filter((turn) => !held.has(turn));
}

function isOnPull({ prNumber }: Turn): boolean {
  return prNumber !== null;
}
