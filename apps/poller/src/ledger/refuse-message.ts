import type { LedgerAnswer, LedgerMessage } from '@mergexo/core/ledger';
import { buildTurnEvent } from '@mergexo/core/timeline';
import type { Turn } from '@mergexo/core/turns';
import { recordEvents } from '../lifecycle/record-events.js';
import type { Records } from '../tools.js';
import type { ReportLimit } from './report-limit.js';

type RefuseTools = Records & { mayReport: ReportLimit };

/** Refuses a message that its sender may not send. */
export function refuseForeign(tools: RefuseTools, { kind }: LedgerMessage, from: string): LedgerAnswer {
  const payload = { message: kind, from, reason: 'foreign_sender' };
  if (tools.mayReport(from, 'foreign_sender'))
    tools.state.transaction(() => recordEvents(tools, [{ type: 'ledger_message_unproven', payload }]));
  return { kind: 'refused', reason: `The sender "${from}" may not send this message for somebody else.` };
}

type Held = Extract<LedgerMessage, { proof: string }>;

/** Refuses a message without a valid proof of its attempt. Requires a transaction. */
export function refuseUnproven(
  tools: RefuseTools,
  { turn, message, from }: { turn: Turn; message: Held; from: string },
): Extract<LedgerAnswer, { kind: 'refused' }> {
  const payload = { message: message.kind, claimed_attempt: message.attempt, reason: 'wrong_proof' };
  if (tools.mayReport(from, message.turnKey))
    recordEvents(tools, [buildTurnEvent('ledger_message_unproven', turn, payload)]);
  return { kind: 'refused', reason: 'the message does not prove that it belongs to this attempt' };
}

/** Records a malformed message for the operator, so that later messages are still handled. */
export function setAside(tools: RefuseTools, raw: unknown, from: string): LedgerAnswer {
  const text = JSON.stringify(raw) ?? 'undefined';
  const payload = { bytes: text.length, start: text.slice(0, 500) };
  if (tools.mayReport(from, 'set_aside'))
    tools.state.transaction(() => recordEvents(tools, [{ type: 'ledger_message_set_aside', payload }]));
  return {
    kind: 'refused',
    reason: 'The message is malformed. Run the same MergeXO version for this worker and the poller.',
  };
}
