import type { RuntimeEventType } from './runtime-event.js';

/**
 * Events that MergeXO deletes after the retention period. They only tell a story: no decision, notice number, metric or
 * chart reads them. All other events are kept.
 */
export const TRIMMED_EVENTS = [
  'worker_started',
  'worker_stopped',
  'ledger_message_set_aside',
  'ledger_message_unproven',
  'ledger_refused',
  'hosts_refused',
  'turn_queued',
  'turn_frozen',
  'turn_finished',
  'feedback_received',
  'action_sending',
  'action_settled',
  'outbox_paused',
  'polling_paused',
] as const satisfies readonly RuntimeEventType[];
