import type { Schedule } from './op.js';

/**
 * Shortens a failing schedule while it still fails in the same way: removes half of the operations, then a quarter, and
 * so on. Stops after `limit` tries.
 */
export async function shrink(
  schedule: Schedule,
  stillFails: (shorter: Schedule) => Promise<boolean>,
  limit = 120,
): Promise<Schedule> {
  let least = schedule;
  let tries = 0;
  for (let size = Math.ceil(least.ops.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < least.ops.length && tries < limit; ) {
      const removed = least.ops.slice(at, at + size);
      const rest = least.ops.toSpliced(at, size);
      const next = rest[at];
      // The time passes as before, so that the later operations meet the same world.
      const pause = removed.reduce((sum, { after }) => sum + after, 0);
      const shorter = next === undefined ? rest : rest.with(at, { ...next, after: next.after + pause });
      tries += 1;
      if (await stillFails({ ...least, ops: shorter })) least = { ...least, ops: shorter };
      else at += size;
    }
  }
  return least;
}
