import { WORKER_LEASE_MS } from '@mergexo/core/basics';
import type { HeartbeatMessage, LedgerAnswer } from '@mergexo/core/ledger';
import { recordEvents } from '../lifecycle/record-events.js';
import type { Records } from '../tools.js';

/** Records every 12th heartbeat, about one per worker per minute, to keep the table small. */
const RECORD_EVERY = 12;
const KEEP_HEARTBEATS_MS = 24 * 3_600_000;

/**
 * Handles heartbeats. A stopping worker's last heartbeat deletes its lease, which would otherwise time out. A
 * repeated or outdated heartbeat has no effect, because anybody who can write to Redis can repeat one.
 */
export function noteWorker(tools: Records, message: HeartbeatMessage): LedgerAnswer {
  const { workerId, host, pid, sequence, notices = [] } = message;
  const { state, now } = tools;
  return state.transaction(() => {
    if (sequence <= (state.readWorkerSequence(workerId) ?? -1)) return { kind: 'ok' };
    state.saveWorkerSequence(workerId, sequence);
    const known = state.readWorkerLease(workerId) !== undefined;
    const payload = { worker: workerId, host, pid };
    if (message.leaving) {
      state.deleteWorkerLease(workerId);
      if (known) recordEvents(tools, [{ type: 'worker_stopped', payload }]);
      return { kind: 'ok' };
    }
    const since = now();
    state.saveWorkerLease({ workerId, host, pid, since, expiresAt: since + WORKER_LEASE_MS, notices });
    if (!known) recordEvents(tools, [{ type: 'worker_started', payload }]);
    else if (sequence % RECORD_EVERY === 0) recordEvents(tools, [{ type: 'worker_heartbeat', payload }]);
    return { kind: 'ok' };
  });
}

/** Reports each unresponsive worker once. BullMQ redelivers the jobs of its turns. */
export function sweepWorkers(tools: Records): void {
  const { state, now } = tools;
  state.transaction(() => {
    const gone = state.takeExpiredWorkerLeases(now());
    const held = state.listCarriedTurns().map(({ workerId }) => workerId);
    recordEvents(
      tools,
      gone.map(({ workerId, host, pid }) => ({
        type: 'worker_heartbeat_timeout',
        payload: { worker: workerId, host, pid, turns: held.filter((holder) => holder === workerId).length },
      })),
    );
    state.forgetHeartbeatsBefore(now() - KEEP_HEARTBEATS_MS);
  });
}
