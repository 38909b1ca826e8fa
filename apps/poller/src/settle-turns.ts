import { buildTurnEvent, type Log, type Turn } from '@mergexo/core';
import type { State } from '@mergexo/state';
import { recordEvents } from './record-events.js';

/** Done once nothing of the turn is left to be said. Call it inside a transaction. */
export function settleTurn(tools: { state: State; now: () => number; log: Log }, turn: Turn): Turn {
  if (turn.state !== 'speaking' || tools.state.countUnsettledActions(turn.turnKey) > 0) return turn;
  const done: Turn = { ...turn, state: 'done', endedAt: tools.now() };
  tools.state.saveTurn(done);
  recordEvents(tools, [
    buildTurnEvent('turn_completed', done, { seconds: (tools.now() - turn.openedAt) / 1_000 }),
  ]);
  return done;
}
