import { buildEventKey, decideRemark, type Log, type Remark } from '@mergexo/core';
import type { Pull, State } from '@mergexo/state';
import { recordEvents } from '../record-events.js';
import type { Repo } from '../repo.js';
import { findOwnership, type OwnershipTools } from './find-ownership.js';
import { obeyCommand } from './obey-command.js';
import { asNews } from './to-remark.js';

export type RemarkTools = OwnershipTools & { state: State; now: () => number; log: Log };

/** Records what was said on a pull request, as feedback, as a command, or with the reason why it is neither. Inside a transaction. */
export function takeInRemark(tools: RemarkTools, repo: Repo, pull: Pull, read: Remark): void {
  const { state, now } = tools;
  const last = state.readLastEventOfComment(repo.id, read);
  const remark = asNews(read, last?.payload);
  if (remark === undefined) return;
  const { ownership, intact } = findOwnership(tools, repo.id, remark);
  const { allowedUsers, operatorLogins } = repo.config;
  const decision = decideRemark(remark, { ownership, allowedUsers, operatorLogins });
  const eventKey = buildEventKey(remark);
  const record = (skipReason: string | null): boolean => {
    const { issueNumber } = pull;
    return state.recordFeedbackEvent({ repoId: repo.id, issueNumber, remark, skipReason }, now());
  };
  const about = {
    repoId: repo.id,
    runId: pull.runId,
    issueNumber: pull.issueNumber,
    prNumber: pull.prNumber,
  };
  switch (decision.kind) {
    case 'skip':
      if (!record(decision.reason)) return;
      if (ownership === 'ours') {
        if (!intact) noteMismatch(tools, pull, remark, 'edited');
        return;
      }
      // Every lone comment comes in a review of its own: without text that is no news.
      if (remark.body.trim() !== '') {
        const payload = { kind: remark.kind, author: remark.author.login, reason: decision.reason };
        recordEvents(tools, [{ type: 'feedback_skipped', ...about, eventKey, payload }]);
      }
      return;
    case 'command':
      if (!record(decision.isFeedback ? null : 'it is a command')) return;
      obeyCommand(tools, repo, pull, { ...decision, remark });
      if (!decision.isFeedback) return;
      break;
    case 'event':
      if (!record(null)) return;
  }
  // An edit before anybody began to answer replaces the text; afterwards it is one more thing to answer.
  if (last !== undefined && last.processedAt === null && last.turnKey === null)
    state.markEventProcessed(last, now(), 'it was edited before it was answered');
  const payload = { kind: remark.kind, author: remark.author.login, url: remark.url };
  recordEvents(tools, [{ type: 'feedback_received', ...about, eventKey, payload }]);
}

/** Somebody changed or removed what we had posted: it is left alone, and not posted again. */
export function noteMismatch(
  tools: { state: State; now: () => number; log: Log },
  pull: Pull,
  { kind, commentId }: Pick<Remark, 'kind' | 'commentId'>,
  what: 'edited' | 'deleted',
): void {
  const { state, now } = tools;
  const { repoId, runId, issueNumber, prNumber } = pull;
  const action = state
    .listActionsOfThread(repoId, prNumber, 1_000)
    .find(
      ({ remoteId, kind: said }) =>
        remoteId === commentId && (said === 'review_reply') === (kind === 'review'),
    );
  if (action?.state === 'tombstone') return;
  if (action !== undefined) state.saveAction({ ...action, state: 'tombstone', error: what }, now());
  const payload = { what, comment_id: commentId, action: action?.kind ?? null };
  recordEvents(tools, [{ type: 'action_mismatch', repoId, runId, issueNumber, prNumber, payload }]);
}
