import { WORKER_LEASE_MS } from '@mergexo/core/basics';
import { type HeartbeatMessage, type LedgerAnswer, nameIn } from '@mergexo/core/ledger';
import { z } from 'zod';
import { recordEvents } from '../lifecycle/record-events.js';
import type { Records } from '../tools.js';

/** Records every 12th heartbeat, about one per worker per minute, to keep the table small. */
const RECORD_EVERY = 12;
/** One key is for the workers of one host. More than this number can only be invented. */
const MAX_WORKERS_PER_KEY = 100;
const STARTS_WINDOW_MS = 60_000;
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
    const known = state.readWorkerLease(workerId) !== undefined;
    if (!known && countNamesakes(state, workerId) >= MAX_WORKERS_PER_KEY)
      return { kind: 'refused', reason: `${MAX_WORKERS_PER_KEY} workers already use this worker key` };
    if (!known && countStarted(tools, workerId) >= MAX_WORKERS_PER_KEY)
      return {
        kind: 'refused',
        reason: `${MAX_WORKERS_PER_KEY} workers with this worker key started in the last minute`,
      };
    // The last heartbeat of an unknown id changes nothing, and its record would be kept forever.
    if (message.leaving && state.readWorkerSequence(workerId) === undefined) return { kind: 'ok' };
    state.saveWorkerSequence(workerId, sequence);
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

function countNamesakes(state: Records['state'], workerId: string): number {
  return state.listWorkerLeases().filter((lease) => nameIn(lease.workerId) === nameIn(workerId)).length;
}

const Started = z.object({ worker: z.string() });

/** Counts the starts of the last minute, because a worker that stops frees its place at once. */
function countStarted({ state, now }: Records, workerId: string): number {
  return state
    .listPayloadsBetween('worker_started', { from: now() - STARTS_WINDOW_MS, to: now() })
    .filter((payload) => nameIn(Started.safeParse(payload).data?.worker ?? '') === nameIn(workerId)).length;
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
