import { recordEvents } from '../lifecycle/record-events.js';
import type { Records } from '../tools.js';

/** Minimum time between two records, because somebody who can write to Redis could otherwise fill the database. */
const RECORD_EVERY_MS = 60_000;

/** Creates the function that counts messages without a valid signature and records the count once a minute. */
export function createRejectionLog(
  tools: Records,
): (rejected: { from: string | null; kind: string }) => void {
  let count = 0;
  let recordedAt = Number.NEGATIVE_INFINITY;
  return ({ from, kind }) => {
    count += 1;
    const now = tools.now();
    if (Math.abs(now - recordedAt) < RECORD_EVERY_MS) return;
    const payload = { message: kind, from, count, reason: 'wrong_signature' };
    tools.state.transaction(() => recordEvents(tools, [{ type: 'ledger_message_unproven', payload }]));
    recordedAt = now;
    count = 0;
  };
}
