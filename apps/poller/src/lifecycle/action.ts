import { type Action, planNotice } from '@mergexo/core/actions';
import type { UnsentReason } from '@mergexo/core/reasons';
import type { PullRequest } from '@mergexo/github';
import type { Run } from '@mergexo/state';
import type { Records } from '../tools.js';
import { recordEvents } from './record-events.js';

type Writing = Pick<Records, 'state' | 'now'>;

/** Call this right before the request. After a crash, the outcome of the request is unknown. Requires a transaction. */
export function markSending({ state, now }: Writing, action: Action, token: string): Action {
  const sending: Action = { ...action, state: 'sending', sends: action.sends + 1 };
  state.saveAction(sending, now(), token);
  return sending;
}

/** Call this if GitHub did not apply the request. MergeXO sends the action again later. Requires a transaction. */
export function markPlanned({ state, now }: Writing, action: Action): void {
  state.saveAction({ ...action, state: 'planned' }, now());
}

/** Marks an action whose post is on GitHub. Requires a transaction. */
export function markSettled({ state, now }: Writing, action: Action, remoteId: number): void {
  state.saveAction({ ...action, state: 'settled', remoteId, error: null }, now());
}

/** Marks an action that GitHub will never accept. Requires a transaction. */
export function markRefused({ state, now }: Writing, action: Action, text: string): void {
  state.saveAction({ ...action, state: 'refused', error: { code: 'refused', text } }, now());
}

/** Marks an action that was never sent and is no longer needed. Requires a transaction. */
export function markUnsent({ state, now }: Writing, action: Action, reason: UnsentReason): void {
  state.saveAction({ ...action, state: 'refused', error: reason }, now());
}

/** Marks a post that a person edited or deleted. MergeXO never updates or reposts it. Requires a transaction. */
export function markTombstone({ state, now }: Writing, action: Action, what: 'edited' | 'deleted'): void {
  state.saveAction({ ...action, state: 'tombstone', error: { code: what } }, now());
}

/** Plans a dropped action again once the reason for dropping it no longer applies. Requires a transaction. */
export function revive({ state, now }: Writing, action: Action): void {
  state.saveAction({ ...action, state: 'planned', error: null }, now());
}

/** Records the pull request that GitHub opened for a run. Requires a transaction. */
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

/** Plans a comment or another write that belongs to no turn. Requires a transaction. */
export function recordNotice({ state, now }: Writing, notice: Parameters<typeof planNotice>[0]): void {
  state.recordActions([planNotice(notice)], now());
}
