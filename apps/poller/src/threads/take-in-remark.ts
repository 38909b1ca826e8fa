import { planNotice } from '@mergexo/core/actions';
import type { Log } from '@mergexo/core/basics';
import {
  buildEventKey,
  decideRemark,
  isUnlistedReviewer,
  type Remark,
  type RemarkDecision,
} from '@mergexo/core/feedback';
import { renderReviewerNotice } from '@mergexo/core/outbox';
import type { Pull, State } from '@mergexo/state';
import { obeyCommand } from '../commands/obey-pull-command.js';
import { markTombstone } from '../lifecycle/action.js';
import { noteOutdated } from '../lifecycle/database-age.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { MEANWHILE } from '../lifecycle/skip-reasons.js';
import { isSaidMeanwhile } from '../lifecycle/takeover.js';
import type { Records, Repo } from '../tools.js';
import { findOwnership, isUnknownPost, kindsOf, type OwnershipTools } from './find-ownership.js';
import { asNewRemark } from './to-remark.js';

export type RemarkTools = OwnershipTools & { state: State; now: () => number; log: Log };

/**
 * Records what was said on a pull request, as feedback, as a command, or with the reason why it is neither. `said` has the
 * causes of what we answered before, as our comments on GitHub tell them. Inside a transaction.
 */
export function takeInRemark(
  tools: RemarkTools,
  repo: Repo,
  prNumber: number,
  read: Remark,
  said: ReadonlySet<string> = new Set(),
): void {
  const { state, now } = tools;
  const pull = state.readPull(repo.id, prNumber);
  if (pull === undefined) return;
  const last = state.readLastEventOfComment(repo.id, read);
  const remark = asNewRemark(read, last?.payload);
  if (remark === undefined) return;
  const { ownership, intact } = findOwnership(tools, repo.id, remark);
  const { allowedUsers, operatorLogins } = repo.config;
  const decision = decideRemark(remark, { ownership, allowedUsers, operatorLogins });
  const { issueNumber, runId } = pull;
  const about = { repoId: repo.id, runId, issueNumber, prNumber, eventKey: buildEventKey(remark) };
  const isMeanwhile = isSaidMeanwhile(pull, remark);
  const skipReason = explainSkip(decision, isMeanwhile);
  if (!state.recordFeedbackEvent({ repoId: repo.id, issueNumber, remark, skipReason }, now())) return;
  if (ownership === 'ours') {
    if (isUnknownPost(tools, repo.id, remark)) noteOutdated(tools, repo.id);
    if (!intact) noteMismatch(tools, pull, remark, 'edited');
    return;
  }
  if (decision.kind === 'skip' && !isMeanwhile) planReviewerNotice(tools, repo, pull, remark);
  // An edit before anybody began to answer replaces the text; afterwards it is one more thing to answer.
  if (last !== undefined && last.processedAt === null && last.turnKey === null)
    state.markEventProcessed(last, now(), 'it was edited before it was answered');
  if (decision.kind === 'command') obeyCommand(tools, repo, pull, { ...decision, remark, said });
  const facts = { kind: remark.kind, author: remark.author.login };
  if (skipReason === null)
    recordEvents(tools, [{ type: 'feedback_received', ...about, payload: { ...facts, url: remark.url } }]);
  // Every lone comment comes in a review of its own: without text that is no news.
  else if (remark.body.trim() !== '')
    recordEvents(tools, [{ type: 'feedback_skipped', ...about, payload: { ...facts, reason: skipReason } }]);
}

/** Keyed by the pull request alone, so that it is posted once, also after a loss of the database. */
function planReviewerNotice(
  { state, now, viewer }: RemarkTools,
  repo: Repo,
  { repoId, runId, prNumber }: Pull,
  remark: Remark,
): void {
  const { enableFeedbackLoop, allowedUsers } = repo.config;
  // Another program may post with our token, and needs no note.
  if (!enableFeedbackLoop || viewer.ids.has(remark.author.id)) return;
  if (!isUnlistedReviewer(remark, allowedUsers)) return;
  const words = renderReviewerNotice(remark.author.login);
  const about = { repoId, runId, thread: prNumber, cause: [], words };
  state.recordActions([planNotice({ kind: 'reviewer_notice', ...about })], now());
}

/** Null for what waits for an answer. */
function explainSkip(decision: RemarkDecision, isMeanwhile: boolean): string | null {
  switch (decision.kind) {
    case 'skip':
      return decision.reason;
    case 'command':
      if (!decision.isFeedback) return 'it is a command';
      return isMeanwhile ? MEANWHILE : null;
    case 'event':
      return isMeanwhile ? MEANWHILE : null;
  }
}

/** Somebody changed or removed what we had posted: it is left alone, and not posted again. */
export function noteMismatch(
  tools: Records,
  about: { repoId: number; runId: number | null; issueNumber: number; prNumber: number | null },
  { thread, kind, commentId }: Pick<Remark, 'thread' | 'kind' | 'commentId'>,
  what: 'edited' | 'deleted',
): void {
  const { state } = tools;
  const { repoId, runId, issueNumber, prNumber } = about;
  const action = state
    .listActionsOfThread(repoId, thread, 1_000)
    .find(({ remoteId, kind: said }) => remoteId === commentId && kindsOf(kind).includes(said));
  if (action?.state === 'tombstone') return;
  if (action !== undefined) markTombstone(tools, action, what);
  const payload = { what, comment_id: commentId, action: action?.kind ?? null };
  recordEvents(tools, [{ type: 'action_mismatch', repoId, runId, issueNumber, prNumber, payload }]);
}
