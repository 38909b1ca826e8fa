import { attemptOf, type Turn } from '../turns/turn.js';

/** The types of events in the append-only log, with the names that `explain`, the dashboard and the logs show. */
export const EVENT_NAMES = {
  worker_started: 'A worker started',
  worker_heartbeat: 'A worker sent a heartbeat',
  worker_heartbeat_timeout: 'A worker stopped responding',
  worker_stopped: 'A worker stopped',
  polling_paused: 'Polling paused',
  ledger_message_set_aside: 'MergeXO refused and reported an unreadable message',
  ledger_message_unproven: 'MergeXO rejected a message because it could not verify the sender',
  turn_opened: 'Turn opened',
  turn_queued: 'Turn queued',
  turn_begun: 'A worker started the turn',
  turn_progress: 'The agent is working',
  agent_limit_reached: "The agent reached its provider's limit",
  hosts_refused: 'The network policy blocked connections',
  turn_frozen: 'Result saved',
  turn_finished: 'Work finished; posting to GitHub',
  turn_completed: 'Turn complete',
  turn_superseded: 'Turn superseded',
  turn_released: 'The worker returned the turn',
  turn_failed: 'An attempt failed',
  turn_blocked: 'Turn blocked',
  turn_cancelled: 'Turn canceled',
  run_created: 'MergeXO started work on the issue',
  run_parked: 'Paused by a limit',
  run_waiting: 'Waiting for people',
  run_blocked: 'Blocked',
  run_closed: 'Run ended',
  intake_skipped: 'MergeXO did not start work',
  pull_opened: 'Pull request opened',
  pull_closed: 'Pull request closed',
  pull_reopened: 'Pull request reopened',
  pull_blocked: 'Pull request blocked',
  pull_unblocked: 'Pull request unblocked',
  history_rewrite_blocked: 'Blocked: the branch history was rewritten',
  feedback_received: 'Comment received',
  feedback_skipped: 'Comment skipped',
  command_obeyed: 'Command received',
  action_mismatch: "A person changed or deleted one of MergeXO's comments",
  action_sending: 'Posting to GitHub',
  action_settled: 'Posted to GitHub',
  action_refused: 'GitHub rejected the post',
  state_rebuilt: 'Records rebuilt from GitHub',
  outbox_paused: 'Posting paused',
  sign_refused: 'GitHub refused a reaction or the status comment',
  ledger_refused: "MergeXO rejected a worker's message",
  takeover: 'A person took over',
  work_paused: 'Paused by an operator',
  work_resumed: 'Resumed by an operator',
  review_skipped: 'AI review skipped by an operator',
  budget_reached: 'A large part of a limit is used',
  token_rejected: 'GitHub rejected the token',
  turn_deferred: 'Pull request postponed: new comments come first',
  pre_pr_followup_waiting: 'Waiting for a reply on the issue',
  pre_pr_followup_comments_detected: 'New replies on the issue',
  pre_pr_followup_enqueued: 'Resuming with the replies',
  pre_pr_followup_resumed: 'A worker resumed the work',
  pre_pr_followup_consumed: 'The agent has read the replies',
  source_issue_comment_redirected: 'A comment was redirected to the pull request',
  run_adopted: 'MergeXO resumed a run from an earlier version',
  implementation_ready: 'The merged design is ready for implementation',
  promotion_skipped: 'MergeXO did not implement a merged document',
  implementation_held: 'The scheduler delayed the implementation',
  start_held: 'The scheduler delayed the start',
  dependency_cycle: 'Issues depend on each other in a cycle',
  ci_failed: 'A check failed',
  ci_dropped: 'A failed check no longer needs a reply',
  drift_found: 'Files outside the design changed',
  base_conflict: 'The branch conflicts with its base',
  work_rejected: 'The review requested changes',
  work_approved: 'The review approved the change',
  review_fix_created: 'Fix requested',
  review_fix_completed: 'Fix pushed',
  review_fix_failed: 'The fix failed',
  re_review_created: 'Reviewing the fix',
  max_fix_cycles_exceeded: 'Waiting for a human review',
  review_escalated: 'Waiting for a human review',
} as const;

export type RuntimeEventType = keyof typeof EVENT_NAMES;

export type RuntimeEvent = {
  type: RuntimeEventType;
  repoId?: number | null;
  runId?: number | null;
  issueNumber?: number | null;
  prNumber?: number | null;
  turnKey?: string | null;
  eventKey?: string | null;
  actionToken?: string | null;
  payload?: Readonly<Record<string, unknown>>;
};

export function buildTurnEvent(
  type: RuntimeEventType,
  turn: Turn,
  payload: Readonly<Record<string, unknown>> = {},
): RuntimeEvent {
  const { repoId, runId, issueNumber, prNumber, turnKey, epoch } = turn;
  const about = { kind: turn.kind, epoch, attempt: attemptOf(turn) };
  return { type, repoId, runId, issueNumber, prNumber, turnKey, payload: { ...about, ...payload } };
}
