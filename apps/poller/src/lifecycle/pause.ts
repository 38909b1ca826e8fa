import { ALL, findPause, type Pause } from '@mergexo/core/runs';
import type { Turn } from '@mergexo/core/turns';
import type { State } from '@mergexo/state';
import type { Records } from '../tools.js';
import { endTurn } from './end-turn.js';
import { readRunOf } from './read-pull-of.js';
import { recordEvents } from './record-events.js';
import { releaseRun } from './run/run.js';

/** The scope of a pause, with the names of the people who asked for it and their reason. */
export type PauseRequest = Pick<Pause, 'repoId' | 'issueNumber' | 'by' | 'reason'>;

/** Returns the pause that keeps a turn from starting. A turn with a frozen plan continues, because its agent has run. */
export function readPauseOf(state: Pick<State, 'listPauses'>, turn: Turn): Pause | undefined {
  if (turn.planDigest !== null) return undefined;
  const pauses = state.listPauses();
  return pauses.length === 0 ? undefined : findPause(pauses, turn);
}

/** True if the turn waits for an operator and for nothing else. */
export function isHeld(state: Pick<State, 'listPauses'>, turn: Turn): boolean {
  return isUnbegun(turn) && readPauseOf(state, turn) !== undefined;
}

const isUnbegun = ({ state, workerId }: Turn): boolean =>
  state === 'open' || (state === 'queued' && workerId === null);

/** Pauses the scope. Returns false if it is paused already. Requires a transaction. */
export function pauseWork(tools: Records, { repoId, issueNumber, by, reason }: PauseRequest): boolean {
  const pause = { repoId, issueNumber, since: tools.now(), by, reason };
  if (!tools.state.recordPause(pause)) return false;
  recordEvents(tools, [{ type: 'work_paused', ...scopeOf(pause), payload: { by, reason } }]);
  return true;
}

/** Resumes the scope. Returns false if it is not paused. Requires a transaction. */
export function resumeWork(tools: Records, { by, reason, ...scope }: PauseRequest): boolean {
  if (!tools.state.removePause(scope)) return false;
  recordEvents(tools, [{ type: 'work_resumed', ...scopeOf(scope), payload: { by, reason } }]);
  return true;
}

function scopeOf({ repoId, issueNumber }: Pick<Pause, 'repoId' | 'issueNumber'>) {
  return {
    repoId: repoId === ALL ? null : repoId,
    issueNumber: issueNumber === ALL ? null : issueNumber,
  };
}

/**
 * Cancels a turn that has not saved a result yet. The worker stops its agent when the poller refuses the next progress
 * message. The turn's comments become pending again. Requires a transaction.
 */
export function cancelTurn(tools: Records, turn: Turn, reason: string): void {
  const run = readRunOf(tools.state, turn);
  const hasReplies = tools.state
    .listEventsOfFeedbackTurn(turn.turnKey)
    .some(({ processedAt }) => processedAt === null);
  endTurn(tools, turn, { end: 'cancelled', reason });
  if (turn.prNumber === null && run !== undefined) releaseRun(tools, run, hasReplies);
}

/** True if the turn can be canceled: its agent is still running or has not started. */
export function isCancellable({ planDigest, state }: Turn): boolean {
  return planDigest === null && (state === 'open' || state === 'queued' || state === 'running');
}
