import { planNotice } from '@mergexo/core/actions';
import { renderWaitComment, shortenReason } from '@mergexo/core/outbox';
import { buildTurnEvent } from '@mergexo/core/timeline';
import { type Checkpoint, type Plan, StartContext, type Turn, type WaitKind } from '@mergexo/core/turns';
import type { FeedbackEvent, Run, State } from '@mergexo/state';
import type { Records } from '../../tools.js';
import { dropUnsent } from '../end-turn.js';
import { recordEvents } from '../record-events.js';

/** Whatever a start ends with: its session is kept, and the comments that it was given are done with. Inside a transaction. */
export function finishStart(tools: Records, turn: Turn, run: Run, plan: Plan): void {
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
  state.moveCommentCursors(run.repoId, run.issueNumber, to, now());
  if (followup === null) return;
  const { waitKind } = followup;
  noteFollowup(tools, 'pre_pr_followup_consumed', { run, repo, events, waitKind });
}

export type Wait = { waitKind: WaitKind; reason: string; checkpoint: Checkpoint | null };

/** The work goes on when somebody says something on the issue. */
export function awaitFollowup(tools: Records, run: Run, wait: Wait): void {
  const { state, now } = tools;
  const { waitKind, reason, checkpoint } = wait;
  const { repoId, id: runId, issueNumber, flow, branch } = run;
  // What an earlier turn pushed is still there if this one added nothing.
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

/** When the run last began to wait for a reply. A reply starts every count of failures again; 0 where it never waited. */
export function readLastWait(state: State, { repoId, issueNumber }: Run): number {
  return state.readLastEventOfIssue(repoId, issueNumber, 'run_waiting')?.createdAt ?? 0;
}

/**
 * Stops a start that failed and asks for a reply on the issue. The comments that the turn was given are consumed, so that
 * only a new one resumes the work; the agent still reads them with the issue. Inside a transaction.
 */
export function askForReply(
  tools: Records,
  turn: Turn,
  run: Run,
  { waitKind, reason }: Pick<Wait, 'waitKind' | 'reason'>,
): void {
  const { state, now } = tools;
  const { repoId, id: runId, issueNumber } = run;
  consumeComments(tools, turn, run);
  awaitFollowup(tools, run, { waitKind, reason, checkpoint: null });
  const { issue } = StartContext.parse(state.readTurnContext(turn.turnKey));
  const words = renderWaitComment({
    waitKind,
    reason: shortenReason(reason),
    checkpoint: state.readFollowup(repoId, issueNumber)?.context.checkpoint ?? null,
    repoUrl: issue.url.replace(/\/issues\/\d+$/, ''),
    baseBranch: state.listRepositories().find(({ id }) => id === repoId)?.defaultBranch ?? '',
  });
  const notice = { kind: 'wait_comment' as const, repoId, runId, thread: issueNumber };
  state.recordActions([planNotice({ ...notice, cause: [turn.turnKey], words })], now());
}

/**
 * People said something before the pull request was opened: that comes first. What was pushed stays as the checkpoint from
 * which the next turn goes on. Inside a transaction.
 */
export function deferTurn(tools: Records, turn: Turn, run: Run, plan: Plan): void {
  const { state, now } = tools;
  const deferred: Turn = { ...turn, state: 'deferred', reason: DEFERRED, workerId: null, endedAt: now() };
  finishStart(tools, turn, run, plan);
  state.saveTurn(deferred);
  recordEvents(tools, [buildTurnEvent('turn_deferred', deferred, { reason: DEFERRED })]);
  dropUnsent(tools, deferred);
  const checkpoint = plan.commit && { branch: plan.commit.branch, sha: plan.commit.sha };
  awaitFollowup(tools, run, {
    waitKind: 'new_issue_comments_pending',
    reason:
      'The work is ready; the comments that came before its pull request was opened are looked at first.',
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
