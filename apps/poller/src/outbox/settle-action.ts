import { type Action, failpoint, type Log, type Turn } from '@mergexo/core';
import type { PullRequest } from '@mergexo/github';
import type { Run, State } from '@mergexo/state';
import { recordEvents } from '../record-events.js';
import { blockTurn, settleTurn } from '../settle-turns.js';

type Tools = { state: State; now: () => number; log: Log };

/** The action is on GitHub: recorded in one transaction with whatever follows from it. */
export function settleAction(
  tools: Tools,
  action: Action,
  result: { remoteId: number; opened?: PullRequest; turn: Turn; run: Run },
): void {
  const { state, now } = tools;
  const { remoteId, opened, turn, run } = result;
  state.transaction(() => {
    state.saveAction({ ...action, state: 'settled', remoteId, error: null }, now());
    recordEvents(tools, [describe('action_settled', action, turn, { remote_id: remoteId })]);
    if (opened !== undefined) recordPull(tools, turn, run, opened);
    if (settleTurn(tools, turn).state === 'done') failpoint('poller:turn-settled');
  });
  failpoint('poller:action-settled');
}

/** GitHub will never take it. A turn goes on without a comment, but not without its pull request. */
export function refuseAction(tools: Tools, action: Action, turn: Turn, reason: string): void {
  const { state, now } = tools;
  state.transaction(() => {
    state.saveAction({ ...action, state: 'refused', error: reason }, now());
    recordEvents(tools, [describe('action_refused', action, turn, { reason })]);
    if (action.kind !== 'open_pull') {
      settleTurn(tools, turn);
      return;
    }
    blockTurn(tools, turn, reason);
  });
}

function recordPull(tools: Tools, turn: Turn, run: Run, pull: PullRequest): void {
  const { state, now } = tools;
  const { number: prNumber, url, headSha } = pull;
  const { repoId, issueNumber, id: runId } = run;
  state.recordPull({ repoId, prNumber, runId, issueNumber, branch: pull.headRef, headSha, url }, now());
  state.saveRun({ ...run, prNumber }, now());
  recordEvents(tools, [
    { type: 'pull_opened', repoId, runId, issueNumber, prNumber, turnKey: turn.turnKey, payload: { url } },
  ]);
}

function describe(type: 'action_settled' | 'action_refused', action: Action, turn: Turn, payload: object) {
  const { repoId, runId, issueNumber, prNumber, turnKey } = turn;
  return {
    type,
    repoId,
    runId,
    issueNumber,
    prNumber,
    turnKey,
    payload: { action: action.kind, target: action.target, ...payload },
  } as const;
}
