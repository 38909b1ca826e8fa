import type { Action } from '@mergexo/core/actions';
import type { PullRequest } from '@mergexo/github';
import type { Run } from '@mergexo/state';
import type { Records } from '../tools.js';
import { recordEvents } from './record-events.js';

type Writing = Pick<Records, 'state' | 'now'>;

/** The request is about to leave: a crash from here on makes its outcome unknown. Inside a transaction. */
export function markSending({ state, now }: Writing, action: Action, token: string): Action {
  const sending: Action = { ...action, state: 'sending', sends: action.sends + 1 };
  state.saveAction(sending, now(), token);
  return sending;
}

/** GitHub refused the request before it applied it: the action is sent again later. Inside a transaction. */
export function markPlanned({ state, now }: Writing, action: Action): void {
  state.saveAction({ ...action, state: 'planned' }, now());
}

/** The post is on GitHub. Inside a transaction. */
export function markSettled({ state, now }: Writing, action: Action, remoteId: number): void {
  state.saveAction({ ...action, state: 'settled', remoteId, error: null }, now());
}

/** GitHub will never accept it. Inside a transaction. */
export function markRefused({ state, now }: Writing, action: Action, reason: string): void {
  state.saveAction({ ...action, state: 'refused', error: reason }, now());
}

/** The action was never sent, and there is no reason left to send it. Inside a transaction. */
export function markUnsent({ state, now }: Writing, action: Action, reason: string): void {
  state.saveAction({ ...action, state: 'refused', error: `not sent: ${reason}` }, now());
}

/** A person edited or deleted the post: MergeXO leaves it alone and never posts it again. Inside a transaction. */
export function markTombstone({ state, now }: Writing, action: Action, what: 'edited' | 'deleted'): void {
  state.saveAction({ ...action, state: 'tombstone', error: what }, now());
}

/** The reason why it was not sent is gone. Inside a transaction. */
export function revive({ state, now }: Writing, action: Action): void {
  state.saveAction({ ...action, state: 'planned', error: null }, now());
}

/** The pull request of a run is open on GitHub. Inside a transaction. */
export function recordOpenedPull(
  tools: Records,
  { run, turnKey }: { run: Run; turnKey: string },
  pull: PullRequest,
): void {
  const { state, now } = tools;
  const { number: prNumber, url, headSha } = pull;
  const { repoId, issueNumber, id: runId } = run;
  state.recordPull({ repoId, prNumber, runId, issueNumber, branch: pull.headRef, headSha, url }, now());
  state.saveRun({ ...run, prNumber }, now());
  recordEvents(tools, [
    { type: 'pull_opened', repoId, runId, issueNumber, prNumber, turnKey, payload: { url } },
  ]);
}
