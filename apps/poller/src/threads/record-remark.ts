import type { Log } from '@mergexo/core/basics';
import {
  buildEventKey,
  decideRemark,
  isUnlistedReviewer,
  type Remark,
  type RemarkDecision,
} from '@mergexo/core/feedback';
import { renderReviewerNotice } from '@mergexo/core/outbox';
import { renderSkipReason, type SkipReason } from '@mergexo/core/reasons';
import type { Pull, State } from '@mergexo/state';
import { runPullCommand } from '../commands/run-pull-command.js';
import { replyIgnored } from '../commands/run-start-command.js';
import { markTombstone, recordNotice } from '../lifecycle/action.js';
import { noteOutdated } from '../lifecycle/database-age.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { isSaidMeanwhile } from '../lifecycle/takeover.js';
import type { Records, Repo } from '../tools.js';
import { findOwnership, isUnknownPost, kindsOf, type OwnershipTools } from './find-ownership.js';
import { asNewRemark, isEdited } from './to-remark.js';

export type RemarkTools = OwnershipTools & { state: State; now: () => number; log: Log };

/**
 * Records a comment on a pull request as feedback, as a command, or with the reason for skipping it. `said` contains
 * the causes of our earlier replies, read from GitHub. Requires a transaction.
 */
export function recordRemark(
  tools: RemarkTools,
  repo: Repo,
  { remark: read, said = new Set() }: { remark: Remark; said?: ReadonlySet<string> },
): void {
  const { state, now } = tools;
  const pull = state.readPull(repo.id, read.thread);
  if (pull === undefined) return;
  const last = state.readLastEventOfComment(repo.id, read);
  const remark = asNewRemark(read, last?.payload);
  if (remark === undefined) return;
  const { ownership, intact } = findOwnership(tools, repo.id, remark);
  const { allowedUsers, operatorLogins } = repo.config;
  const decision = decideRemark(remark, { ownership, allowedUsers, operatorLogins });
  const { issueNumber, runId, prNumber } = pull;
  const isMeanwhile = isSaidMeanwhile(pull, remark);
  const skipReason = explainSkip(decision, isMeanwhile);
  if (!state.recordFeedbackEvent({ repoId: repo.id, issueNumber, remark, skipReason }, now())) return;
  if (ownership === 'ours') {
    if (isUnknownPost(tools, repo.id, remark)) noteOutdated(tools, repo.id);
    if (!intact) noteMismatch(tools, pull, { ...remark, what: 'edited' });
    return;
  }
  if (decision.kind === 'skip' && !isMeanwhile) planReviewerNotice(tools, repo, { pull, remark });
  // Before a turn claims the comment, an edit replaces the earlier event. After that, the edit is an additional event.
  if (last !== undefined && last.processedAt === null && last.turnKey === null)
    state.markEventProcessed(last, now(), { code: 'edited' });
  const given = { remark, isEdited: isEdited(remark, last), said };
  if (decision.kind === 'command') runPullCommand(tools, repo, { ...decision, ...given, pull });
  // The agent answers `/mergexo update` itself, so only the ignored commands get a reply.
  if (decision.kind === 'event' && !isMeanwhile) replyIgnored(tools, repo.id, { remark, runId, said });
  const { repoId } = pull;
  // GitHub wraps each single line comment in an empty review. MergeXO records no event for such a review.
  if (skipReason === null || remark.body.trim() !== '')
    noteRemark(tools, { repoId, runId, issueNumber, prNumber }, { remark, skipReason });
}

/** Records that MergeXO received or skipped a remark. Requires a transaction. */
export function noteRemark(
  tools: Records,
  about: { repoId: number; runId: number; issueNumber: number; prNumber?: number },
  { remark, skipReason }: { remark: Remark; skipReason: SkipReason | null },
): void {
  const event = { ...about, eventKey: buildEventKey(remark) };
  const facts = { kind: remark.kind, author: remark.author.login };
  recordEvents(tools, [
    skipReason === null
      ? { type: 'feedback_received', ...event, payload: { ...facts, url: remark.url } }
      : { type: 'feedback_skipped', ...event, payload: { ...facts, reason: renderSkipReason(skipReason) } },
  ]);
}

/** Plans a notice about a reviewer outside `allowed_users`, once per pull request, even after a database loss. */
function planReviewerNotice(
  tools: RemarkTools,
  repo: Repo,
  { pull: { repoId, runId, prNumber }, remark }: { pull: Pull; remark: Remark },
): void {
  const { enableFeedbackLoop, allowedUsers } = repo.config;
  // If our own login posted a comment that MergeXO did not write, another program used our token. Such a
  // comment needs no notice.
  if (!enableFeedbackLoop || tools.viewer.ids.has(remark.author.id)) return;
  if (!isUnlistedReviewer(remark, allowedUsers)) return;
  const text = renderReviewerNotice(remark.author.login);
  const about = { repoId, runId, thread: prNumber, cause: [], payload: { text } };
  recordNotice(tools, { kind: 'reviewer_notice', ...about });
}

/** Returns why MergeXO skips the remark; null if the remark needs an answer. */
function explainSkip(decision: RemarkDecision, isMeanwhile: boolean): SkipReason | null {
  switch (decision.kind) {
    case 'skip':
      return decision.reason;
    case 'command':
      if (!decision.isFeedback) return { code: 'command' };
      return isMeanwhile ? { code: 'taken_over' } : null;
    case 'event':
      return isMeanwhile ? { code: 'taken_over' } : null;
  }
}

/** Records that somebody edited or deleted our post, so that MergeXO never updates or reposts it. */
export function noteMismatch(
  tools: Records,
  about: { repoId: number; runId: number | null; issueNumber: number; prNumber: number | null },
  {
    thread,
    kind,
    commentId,
    what,
  }: Pick<Remark, 'thread' | 'kind' | 'commentId'> & { what: 'edited' | 'deleted' },
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
