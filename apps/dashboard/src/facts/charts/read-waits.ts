import type { Snapshot } from '@mergexo/state';
import { readLiveTurns } from '../read-live-turns.js';
import { DAY_MS } from '../start-of-day.js';

/** When turns began to wait for their first worker, and when they stopped, in any order. */
export type Waits = { from: readonly number[]; to: readonly number[] };

/**
 * Reads when turns waited: from the opening to the first worker or the end. Includes older turns that are still waiting.
 * The index by type and time contains everything that the query reads.
 */
export function readWaits(facts: Snapshot, since: number): Waits {
  const start = since - DAY_MS;
  const rows = facts.sqlite
    .prepare<[number], [openedAt: number | null, leftAt: number | null]>(
      `select min(case when event_type = 'turn_opened' then created_at end),
         min(case when event_type <> 'turn_opened' then created_at end)
       from runtime_events
       where event_type in ('turn_opened', 'turn_begun', 'turn_cancelled', 'turn_blocked')
         and created_at >= ? and turn_key is not null group by turn_key`,
    )
    .raw()
    .all(start);
  const [from, to]: [number[], number[]] = [[], []];
  for (const [openedAt, leftAt] of rows) {
    if (openedAt === null) continue;
    from.push(openedAt);
    if (leftAt !== null) to.push(leftAt);
  }
  for (const { openedAt, begins } of readLiveTurns(facts))
    if (openedAt < start && begins.length === 0) from.push(openedAt);
  return { from, to };
}
