import { failpoint } from '@mergexo/core/basics';
import { chooseTurns, type Turn } from '@mergexo/core/turns';
import type { State } from '@mergexo/state';
import { isHeld, readPauseOf } from '../../lifecycle/pause.js';
import type { recordEvents } from '../../lifecycle/record-events.js';
import { queueOpenTurn } from '../../lifecycle/turn.js';
import { enqueueTurns, REMEMBERED } from './enqueue-turns.js';

/** Queues open turns. After a crash between the database commit and the enqueue, `reconcile` adds the missing jobs. */
export async function queueOpenTurns(
  tools: Parameters<typeof enqueueTurns>[0] &
    Parameters<typeof recordEvents>[0] & { caps: { maxQueuedFeedback: number } },
): Promise<void> {
  const { state } = tools;
  if (listReady(state).length === 0) return;
  const queued = state.transaction(() =>
    chooseTurns(listReady(state), {
      // Paused turns wait in the queue, but must not use up the places of other work.
      carried: state.listCarriedTurns().filter((turn) => !isHeld(state, turn)),
      begun: state.listLastBegun(REMEMBERED),
      ...tools.caps,
    }).flatMap((turn) => {
      const next = queueOpenTurn(tools, turn);
      return next === undefined ? [] : [next];
    }),
  );
  failpoint('poller:turn-queued');
  await enqueueTurns(tools, queued);
}

/** Lists the open turns that no operator has paused. */
function listReady(state: State): Turn[] {
  return state.listTurnsInState('open').filter((turn) => readPauseOf(state, turn) === undefined);
}
