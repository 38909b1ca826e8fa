import type { RuntimeEventType } from './runtime-event.js';
import { toReadable } from './to-readable.js';

const NAMES: Readonly<Record<RuntimeEventType, string>> = {
  worker_started: 'A worker started',
  worker_heartbeat: 'A worker reported',
  worker_heartbeat_timeout: 'A worker stopped responding',
  worker_stopped: 'A worker stopped',
  polling_paused: 'Polling is paused',
  ledger_message_set_aside: 'An unreadable message was set aside',
  turn_opened: 'A turn was opened',
  turn_queued: 'It was queued',
  turn_begun: 'A worker began',
  turn_progress: 'The agent at work',
  agent_limit_reached: 'The agent reached a limit of its provider',
  turn_frozen: 'The plan was frozen',
  turn_finished: 'The work is done; GitHub is told',
  turn_completed: 'The turn is complete',
  turn_superseded: 'The turn was superseded',
  turn_released: 'The worker handed it back',
  turn_failed: 'An attempt failed',
  turn_blocked: 'The turn is blocked',
  turn_cancelled: 'The turn was cancelled',
  run_created: 'The issue was taken up',
  run_parked: 'It waits for room',
  run_waiting: 'It waits for people',
  run_blocked: 'It is blocked',
  run_closed: 'The run ended',
  intake_skipped: 'No work was started',
  pull_opened: 'The pull request was opened',
  pull_closed: 'The pull request was closed',
  pull_reopened: 'The pull request was reopened',
  pull_blocked: 'The pull request is blocked',
  pull_unblocked: 'The pull request was unblocked',
  history_rewrite_blocked: 'The history was rewritten',
  feedback_received: 'A comment came in',
  feedback_skipped: 'A comment was skipped',
  command_obeyed: 'A command was given',
  action_mismatch: 'People changed one of our comments',
  action_sending: 'GitHub is being told',
  action_settled: 'GitHub has it',
  action_refused: 'GitHub refused it',
  state_rebuilt: 'Rebuilt from GitHub',
  outbox_paused: 'Speaking is paused',
  ledger_refused: 'A worker was refused',
  takeover: 'A person took over, or gave it back',
  turn_deferred: 'The pull request waits: new comments come first',
  pre_pr_followup_waiting: 'It waits for a reply on the issue',
  pre_pr_followup_comments_detected: 'Replies on the issue were found',
  pre_pr_followup_enqueued: 'The work goes on with them',
  pre_pr_followup_resumed: 'A worker resumed the work',
  pre_pr_followup_consumed: 'The replies were heard',
  source_issue_comment_redirected: 'A comment was shown the way to the pull request',
  run_adopted: 'A run of an earlier version was taken up again',
  implementation_ready: 'The merged design is ready to be implemented',
  promotion_skipped: 'A merged document was not taken up',
  implementation_held: 'The scheduler holds it back',
  dependency_cycle: 'Designs depend on each other in a circle',
  ci_failed: 'A check failed',
  ci_dropped: 'A failed check needs no answer any more',
  drift_found: 'Files outside the paths of the design changed',
  base_conflict: 'The branch conflicts with its base',
  work_rejected: 'The review asks for changes',
  work_approved: 'The review approves it',
  review_fix_created: 'A fix was asked for',
  review_fix_completed: 'The fix was pushed',
  review_fix_failed: 'The fix failed',
  re_review_created: 'The fix is reviewed',
  max_fix_cycles_exceeded: 'People are asked to review it',
  review_escalated: 'People are asked to review it',
};

const TITLES: ReadonlyMap<string, string> = new Map(Object.entries(NAMES));
const MAX_VALUE = 400;
const MAX_LISTED = 10;

/** Facts that are milliseconds since 1970. */
const TIMES: ReadonlySet<string> = new Set(['not_before']);

export type EventDetail = { key: string; value: string };

/** An event for people: a name, and the facts of its payload as text. Types of a later version keep their own name. */
export function describeEvent(type: string, payload: unknown): { name: string; details: EventDetail[] } {
  const facts = typeof payload === 'object' && payload !== null ? Object.entries(payload) : [];
  const details = facts.flatMap(([key, value]): EventDetail[] => {
    const text = isNoise(type, key, value) ? '' : toText(TIMES.has(key) ? toTime(value) : value);
    return text === '' ? [] : [{ key: key.replaceAll('_', ' '), value: shorten(text) }];
  });
  return { name: TITLES.get(type) ?? type.replaceAll('_', ' '), details };
}

function toTime(value: unknown): unknown {
  const isTime = typeof value === 'number' && Math.abs(value) <= 8.64e15;
  return isTime ? new Date(value).toISOString() : value;
}

/** Facts that every event of a turn repeats, and row numbers of our own. */
function isNoise(type: string, key: string, value: unknown): boolean {
  if (key === 'round_id') return true;
  if (!type.startsWith('turn_')) return false;
  if (key === 'kind') return type !== 'turn_opened';
  return key === 'epoch' || (key === 'attempt' && Number(value) <= 1) || (key === 'crashes' && value === 0);
}

/** Nested records are for scripts: `explain --json` has them. Of a list of records, people see how many there are. */
function toText(value: unknown): string {
  if (typeof value === 'string') return toReadable(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (!Array.isArray(value) || value.length === 0) return '';
  const texts = value.slice(0, MAX_LISTED).map(toText);
  if (texts.some((text) => text === '')) return String(value.length);
  const more = value.length - texts.length;
  return texts.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function shorten(text: string): string {
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)} …` : text;
}
