import { buildTurnEvent, chooseTurns, failpoint, queueTurn } from '@mergexo/core';
import { recordEvents } from '../lifecycle/record-events.js';
import { enqueueTurns, REMEMBERED } from './enqueue-turns.js';

/** Puts opened turns on their way. A crash after the commit leaves them queued without a job: reconcile adds it. */
export async function queueOpenTurns(
  tools: Parameters<typeof enqueueTurns>[0] &
    Parameters<typeof recordEvents>[0] & { caps: { maxQueuedFeedback: number } },
): Promise<void> {
  const { state } = tools;
  const queued = state.transaction(() =>
    chooseTurns(state.listTurnsInState('open'), {
      carried: state.listCarriedTurns(),
      begun: state.listLastBegun(REMEMBERED),
      ...tools.caps,
    }).flatMap((turn) => {
      const next = queueTurn(turn);
      if (next === undefined) return [];
      state.saveTurn(next);
      recordEvents(tools, [buildTurnEvent('turn_queued', next)]);
      return [next];
    }),
  );
  failpoint('poller:turn-queued');
  await enqueueTurns(tools, queued);
}
