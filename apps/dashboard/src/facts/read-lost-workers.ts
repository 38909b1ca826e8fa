import { WORKER_LEASE_MS } from '@mergexo/core/basics';
import type { Snapshot } from '@mergexo/state';
import { DAY_MS } from './start-of-day.js';

export type LostWorker = { id: string; host: string; pid: number; at: number };
type Change = LostWorker & { isLoss: 0 | 1 };

const MAX_CHANGES = 1_000;
/** A restarted worker may start before MergeXO notices that the old one is gone. */
const OVERLAP_MS = 2 * WORKER_LEASE_MS;

/** Reads the workers that stopped responding in the last day, and that no restarted worker replaces. */
export function readLostWorkers({ sqlite }: Pick<Snapshot, 'sqlite'>, now: number): LostWorker[] {
  const changes = sqlite
    .prepare<[number, number], Change>(
      `select payload_json ->> '$.worker' as id, payload_json ->> '$.host' as host, payload_json ->> '$.pid' as pid,
         created_at as at, event_type = 'worker_heartbeat_timeout' as isLoss
       from runtime_events where event_type in ('worker_heartbeat_timeout', 'worker_started') and created_at > ?
       order by created_at desc, id desc limit ?`,
    )
    .all(now - DAY_MS, MAX_CHANGES);
  return findLost(changes.reverse());
}

/**
 * Finds the lost workers that no later start replaced. A start replaces the same worker, or another one with the same
 * key and host.
 */
export function findLost(changes: readonly Change[]): LostWorker[] {
  let lost: Change[] = [];
  let starts: Change[] = [];
  for (const change of changes) {
    if (change.isLoss) {
      const start = starts.find(
        (other) => isReplacement(other, change) && change.at - other.at <= OVERLAP_MS,
      );
      if (start === undefined) lost.push(change);
      starts = starts.filter((other) => other !== start);
    } else {
      const gone =
        lost.find(({ id }) => id === change.id) ?? lost.find((other) => isReplacement(change, other));
      if (gone === undefined) starts.push(change);
      lost = lost.filter((other) => other !== gone);
    }
  }
  return lost.map(({ id, host, pid, at }) => ({ id, host, pid, at }));
}

function isReplacement(started: Change, gone: Change): boolean {
  return started.id !== gone.id && placeOf(started) === placeOf(gone);
}

/** The key and the host, without the process. */
function placeOf({ id, host }: Change): string {
  return `${id.split('@')[0]}@${host}`;
}
