import type { Log } from '@mergexo/core';
import type { Pull, State } from '@mergexo/state';
import { recordEvents } from '../record-events.js';
import { endTurn } from './end-turn.js';

type Tools = { state: State; now: () => number; log: Log };

/** Merged or closed: whatever runs stops, and what was not answered stays so, with the reason. Inside a transaction. */
export function closePull(tools: Tools, pull: Pull, status: 'merged' | 'closed'): void {
  const { state, now } = tools;
  const { repoId, runId, issueNumber, prNumber } = pull;
  const turn = state.readLiveTurnOfRun(runId);
  if (turn !== undefined) endTurn(tools, turn, 'cancelled', `the pull request was ${status}`);
  for (const event of state.listUnclaimedEvents(repoId, prNumber))
    state.markEventProcessed(event, now(), `the pull request was ${status}`);
  state.savePull({ ...pull, status, blockedKind: null, error: null }, now());
  const run = state.readRun(runId);
  if (run !== undefined) state.saveRun({ ...run, status, blockedKind: null, error: null }, now());
  recordEvents(tools, [{ type: 'pull_closed', repoId, runId, issueNumber, prNumber, payload: { status } }]);
}
