import { renderWaitComment, shortenReason } from '@mergexo/core/outbox';
import { buildTurnEvent } from '@mergexo/core/timeline';
import { type Checkpoint, type Plan, StartContext, type Turn, type WaitKind } from '@mergexo/core/turns';
import type { FeedbackEvent, Run, State } from '@mergexo/state';
import type { Records } from '../../tools.js';
import { recordNotice } from '../action.js';
import { dropUnsent } from '../end-turn.js';
import { recordEvents } from '../record-events.js';

/** Saves the session of an ended start turn and marks its comments as processed. Requires a transaction. */
export function finishStart(tools: Records, turn: Turn, { run, plan }: { run: Run; plan: Plan }): void {
  const { state, now } = tools;
  if (plan.session !== null) {
    const { adapter, threadId } = plan.session;
    state.saveSession({ runId: run.id, adapter, threadId, stateSummary: plan.stateSummary }, now());
  }
  consumeComments(tools, turn, run);
}

function consumeComments(tools: Records, turn: Turn, run: Run): void {
  const { state, now } = tools;
  const { consumedUpTo, followup, repo } = StartContext.parse(state.readTurnContext(turn.turnKey));
  const events = state.listEventsOfFeedbackTurn(turn.turnKey);
  for (const event of events) state.markEventProcessed(event, now());
  const to = { prePrLastConsumedCommentId: consumedUpTo };
  state.moveCommentCursors(run, to, now());
  if (followup === null) return;
  const { waitKind } = followup;
  noteFollowup(tools, 'pre_pr_followup_consumed', { run, repo, events, waitKind });
}

export type Wait = { waitKind: WaitKind; reason: string; checkpoint: Checkpoint | null };

/** Pauses the run until somebody comments on the issue. */
export function awaitFollowup(tools: Records, run: Run, wait: Wait): void {
  const { state, now } = tools;
  const { waitKind, reason, checkpoint } = wait;
  const { repoId, id: runId, issueNumber, flow, branch } = run;
  // If this turn pushed nothing, the checkpoint of an earlier turn is still valid.
  const earlier = state.readFollowup(repoId, issueNumber)?.context.checkpoint ?? null;
  const context = { waitKind, checkpoint: checkpoint ?? earlier };
  const followup = { repoId, issueNumber, flow, branch: branch ?? '', context, waitingReason: reason };
  state.saveFollowup(followup, now());
  state.saveRun({ ...run, status: 'awaiting_issue_followup', blockedKind: waitKind, error: reason }, now());
  const { prePrLastConsumedCommentId } = state.readCommentCursors(repoId, issueNumber);
  const payload = { kind: waitKind, reason };
  recordEvents(tools, [
    { type: 'run_waiting', repoId, runId, issueNumber, payload },
    {
      type: 'pre_pr_followup_waiting',
      repoId,
      runId,
      issueNumber,
      payload: {
        ...payload,
        repo_full_name: nameOf(state, repoId),
        consumed_up_to: prePrLastConsumedCommentId,
      },
    },
  ]);
}

/** Returns when the run last started to wait for a reply; 0 if never. Failures before that time do not count. */
export function readLastWait(state: State, { repoId, issueNumber }: Run): number {
  return state.readLastEventOfIssue(repoId, issueNumber, 'run_waiting')?.createdAt ?? 0;
}

/**
 * Stops a failed start and asks for a reply on the issue. Marks the turn's comments as processed, so that only a new
 * comment resumes the work. The agent still reads the old comments with the issue. Requires a transaction.
 */
export function askForReply(
  tools: Records,
  turn: Turn,
  { run, waitKind, reason }: Pick<Wait, 'waitKind' | 'reason'> & { run: Run },
): void {
  const { state } = tools;
  const { repoId, id: runId, issueNumber } = run;
  consumeComments(tools, turn, run);
  awaitFollowup(tools, run, { waitKind, reason, checkpoint: null });
  const { issue } = StartContext.parse(state.readTurnContext(turn.turnKey));
  const text = renderWaitComment({
    waitKind,
    reason: shortenReason(reason),
    checkpoint: state.readFollowup(repoId, issueNumber)?.context.checkpoint ?? null,
    repoUrl: issue.url.replace(/\/issues\/\d+$/, ''),
    baseBranch: state.listRepositories().find(({ id }) => id === repoId)?.defaultBranch ?? '',
  });
  const notice = { kind: 'wait_comment' as const, repoId, runId, thread: issueNumber };
  recordNotice(tools, { ...notice, cause: [turn.turnKey], payload: { text } });
}

/**
 * Ends a start turn without opening its pull request, because people commented on the issue in the meantime. The next
 * turn handles those comments and continues from the pushed commits. Requires a transaction.
 */
export function deferTurn(tools: Records, turn: Turn, { run, plan }: { run: Run; plan: Plan }): void {
  const { state, now } = tools;
  const deferred: Turn = { ...turn, state: 'deferred', reason: DEFERRED, workerId: null, endedAt: now() };
  finishStart(tools, turn, { run, plan });
  state.saveTurn(deferred);
  recordEvents(tools, [buildTurnEvent('turn_deferred', deferred, { reason: DEFERRED })]);
  dropUnsent(tools, deferred);
  const checkpoint = plan.commit && { branch: plan.commit.branch, sha: plan.commit.sha };
  awaitFollowup(tools, run, {
    waitKind: 'new_issue_comments_pending',
    reason:
      'The work is ready, but new comments arrived before its pull request was opened. MergeXO handles them first.',
    checkpoint,
  });
}

const DEFERRED = 'new comments on the issue come first';

export function noteFollowup(
  tools: Records,
  type:
    | 'pre_pr_followup_comments_detected'
    | 'pre_pr_followup_enqueued'
    | 'pre_pr_followup_resumed'
    | 'pre_pr_followup_consumed',
  about: {
    run: Run;
    repo: string;
    events: readonly Pick<FeedbackEvent, 'commentId'>[];
    waitKind: WaitKind;
  },
): void {
  const { run, repo, events, waitKind } = about;
  const { repoId, id: runId, issueNumber } = run;
  const ids = events.map(({ commentId }) => commentId).sort((a, b) => a - b);
  const payload = {
    repo_full_name: repo,
    reason: waitKind,
    comment_count: ids.length,
    first_comment_id: ids[0] ?? null,
    last_comment_id: ids.at(-1) ?? null,
  };
  recordEvents(tools, [{ type, repoId, runId, issueNumber, payload }]);
}

export function nameOf(state: State, repoId: number): string {
  const repo = state.listRepositories().find(({ id }) => id === repoId);
  return repo === undefined ? '' : `${repo.owner}/${repo.name}`;
}
