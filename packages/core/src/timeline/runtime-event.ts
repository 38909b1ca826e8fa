import { attemptOf, type Turn } from '../turns/turn.js';

/** Append-only record of what happened and why. People read it through `explain`, the dashboard and the logs. */
export const RUNTIME_EVENT_TYPES = [
  'worker_started',
  'worker_heartbeat',
  'worker_heartbeat_timeout',
  'worker_stopped',
  'turn_opened',
  'turn_queued',
  'turn_begun',
  'turn_frozen',
  'turn_finished',
  'turn_progress',
  'agent_limit_reached',
  'turn_completed',
  'turn_superseded',
  'turn_released',
  'turn_failed',
  'turn_blocked',
  'run_created',
  'run_parked',
  'run_waiting',
  'run_blocked',
  'run_closed',
  'intake_skipped',
  'pull_opened',
  'pull_closed',
  'pull_reopened',
  'pull_blocked',
  'pull_unblocked',
  'history_rewrite_blocked',
  'feedback_received',
  'feedback_skipped',
  'command_obeyed',
  'action_mismatch',
  'turn_cancelled',
  'takeover',
  'polling_paused',
  'state_rebuilt',
  'pre_pr_followup_waiting',
  'pre_pr_followup_comments_detected',
  'pre_pr_followup_enqueued',
  'pre_pr_followup_resumed',
  'pre_pr_followup_consumed',
  'source_issue_comment_redirected',
  'drift_found',
  'base_conflict',
  'ci_failed',
  'ci_dropped',
  'implementation_ready',
  'promotion_skipped',
  'implementation_held',
  'dependency_cycle',
  'turn_deferred',
  'run_adopted',
  'work_rejected',
  'work_approved',
  'review_fix_created',
  'review_fix_completed',
  'review_fix_failed',
  're_review_created',
  'max_fix_cycles_exceeded',
  'review_escalated',
  'action_sending',
  'action_settled',
  'action_refused',
  'outbox_paused',
  'ledger_refused',
  'ledger_message_set_aside',
] as const;

export type RuntimeEventType = (typeof RUNTIME_EVENT_TYPES)[number];

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
