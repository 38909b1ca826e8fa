import type { Snapshot } from '@mergexo/state';
import { readLiveTurns } from './read-live-turns.js';

export const DAY_MS = 24 * 3_600_000;
export const SHOWN_DAYS = 14;
const SLICES = 96;

export type DayOfTurns = { done: number; failed: number };
export type Spending = { costUsd: readonly number[]; tokens: readonly number[] };
export type Past = {
  /** Start of each day (UTC), oldest first. The other lists have one entry per day. */
  days: readonly number[];
  turns: readonly DayOfTurns[];
  /** Median seconds from a comment to its reply; null for a day without replies. */
  medianLatency: readonly (number | null)[];
  /** Number of turns that were waiting for their first worker, over the last day. */
  depth: readonly { at: number; waiting: number }[];
};
export type History = Past & Spending;

/** Reads the data of every plot except the spending plot. */
export function readPast(facts: Snapshot, now: number): Past {
  const today = now - (now % DAY_MS);
  const days = Array.from({ length: SHOWN_DAYS }, (_, index) => today - (SHOWN_DAYS - 1 - index) * DAY_MS);
  const since = days[0] ?? today;
  const ended = new Map(readTurnsPerDay(facts, since).map((row) => [row.day, row]));
  const latencies = readLatencies(facts, since);
  return {
    days,
    turns: days.map((day) => ({ done: ended.get(day)?.done ?? 0, failed: ended.get(day)?.failed ?? 0 })),
    medianLatency: days.map((day) =>
      median(
        latencies
          .filter(({ answeredAt: at }) => at >= day && at < day + DAY_MS)
          .map(({ seconds }) => seconds),
      ),
    ),
    depth: computeDepth(readWaits(facts, now - DAY_MS), now),
  };
}

/** Reads the spending without a cache, so that the plot and today's figure agree. */
export function readSpending(facts: Snapshot, days: readonly number[]): Spending {
  const spent = new Map(readSpendPerDay(facts, days[0] ?? 0).map((row) => [row.day, row]));
  return {
    costUsd: days.map((day) => spent.get(day)?.costUsd ?? 0),
    tokens: days.map((day) => spent.get(day)?.tokens ?? 0),
  };
}

/** Counts finished and failed turns per day. Several failures of one turn on the same day count as one. */
function readTurnsPerDay({ sqlite }: Snapshot, since: number) {
  return sqlite
    .prepare<[number], { day: number; done: number; failed: number }>(
      `select created_at - created_at % ${DAY_MS} as day,
         sum(event_type = 'turn_completed') as done,
         count(distinct case when event_type <> 'turn_completed' then turn_key end) as failed
       from runtime_events
       where event_type in ('turn_completed', 'turn_failed', 'turn_blocked') and created_at >= ? group by 1`,
    )
    .all(since);
}

function readSpendPerDay({ sqlite }: Snapshot, since: number) {
  return sqlite
    .prepare<[number], { day: number; costUsd: number; tokens: number }>(
      `select created_at - created_at % ${DAY_MS} as day, sum(cost_usd) as costUsd,
         sum(input_tokens + output_tokens) as tokens
       from spend where created_at >= ? group by 1`,
    )
    .all(since);
}

/**
 * Returns the latency of each reply, from the comment's time on GitHub to the end of the turn. Ignores skipped
 * comments.
 */
export function readLatencies(
  { sqlite }: Snapshot,
  since: number,
): { answeredAt: number; seconds: number }[] {
  return sqlite
    .prepare<[number], { answeredAt: number; saidAt: string }>(
      `select processed_at as answeredAt, updated_at as saidAt from feedback_events
       where processed_at >= ? and skip_reason is null`,
    )
    .all(since)
    .flatMap(({ answeredAt, saidAt }) => {
      const seconds = (answeredAt - Date.parse(saidAt)) / 1_000;
      // GitHub's clock may be slightly ahead of the local clock.
      return Number.isFinite(seconds) ? [{ answeredAt, seconds: Math.max(0, seconds) }] : [];
    });
}

type Wait = { from: number; to: number | null };

/**
 * Returns the waiting time of each turn, from its opening to its first worker or its end. Includes older turns that
 * are still waiting.
 */
function readWaits(facts: Snapshot, since: number): Wait[] {
  const rows = facts.sqlite
    .prepare<[number], { turnKey: string; openedAt: number | null; leftAt: number | null }>(
      `select turn_key as turnKey,
         min(case when event_type = 'turn_opened' then created_at end) as openedAt,
         min(case when event_type <> 'turn_opened' then created_at end) as leftAt
       from runtime_events
       where event_type in ('turn_opened', 'turn_begun', 'turn_cancelled', 'turn_blocked')
         and created_at >= ? and turn_key is not null group by turn_key`,
    )
    .all(since - DAY_MS);
  const known = new Set(rows.map(({ turnKey }) => turnKey));
  const old = readLiveTurns(facts)
    .filter(({ turnKey, begins }) => !known.has(turnKey) && begins.length === 0)
    .map(({ openedAt }) => ({ from: openedAt, to: null }));
  return [...rows.flatMap(({ openedAt: from, leftAt: to }) => (from === null ? [] : [{ from, to }])), ...old];
}

export function computeDepth(waits: readonly Wait[], now: number): History['depth'] {
  return Array.from({ length: SLICES + 1 }, (_, index) => {
    const at = now - DAY_MS + (index * DAY_MS) / SLICES;
    return { at, waiting: waits.filter(({ from, to }) => from <= at && (to === null || to > at)).length };
  });
}

export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)];
  const lower = sorted[Math.ceil(middle) - 1];
  return upper === undefined || lower === undefined ? null : (lower + upper) / 2;
}
