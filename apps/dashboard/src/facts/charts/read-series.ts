import type { Snapshot } from '@mergexo/state';
import { DAY_MS, startOfDay } from '../start-of-day.js';
import { computeWaiting } from './compute-waiting.js';
import { median } from './median.js';
import { readLatencies } from './read-latencies.js';
import { readWaits } from './read-waits.js';

const HOUR_MS = 3_600_000;
/** The time ranges of the charts: the length of a step, and how many steps a chart has. */
export const RANGES = {
  hours: { stepMs: HOUR_MS, steps: 24 },
  days: { stepMs: DAY_MS, steps: 14 },
  weeks: { stepMs: 7 * DAY_MS, steps: 12 },
} as const;
export type Range = keyof typeof RANGES;

/** What the agents used per step, oldest first. */
export type SpendSeries = {
  range: Range;
  /** Start of each step. */
  steps: readonly number[];
  costUsd: readonly number[];
  tokens: readonly number[];
};

export type Series = SpendSeries & {
  turns: readonly { done: number; failed: number }[];
  /** Median seconds from a comment to its reply; null for a step without replies. */
  medianLatency: readonly (number | null)[];
  /** The most turns that waited for their first worker at the same time. */
  waiting: readonly number[];
};

type When = { range: Range; now: number };

/** Reads the data of all charts for one range. */
export function readSeries(facts: Snapshot, { range, now }: When): Series {
  const { stepMs } = RANGES[range];
  const steps = listSteps({ range, now });
  const since = steps[0] ?? now;
  const turns = steps.map(() => ({ done: 0, failed: 0 }));
  for (const { index, done, failed } of readTurns(facts, { since, stepMs })) {
    if (turns[index] !== undefined) turns[index] = { done, failed };
  }
  const latencies = steps.map((): number[] => []);
  for (const { answeredAt, seconds } of readLatencies(facts, since))
    latencies[Math.floor((answeredAt - since) / stepMs)]?.push(seconds);
  return {
    ...readSpendSeries(facts, { range, now }),
    turns,
    medianLatency: latencies.map(median),
    waiting: computeWaiting(readWaits(facts, since), { steps, stepMs }),
  };
}

export function readSpendSeries(facts: Snapshot, { range, now }: When): SpendSeries {
  const steps = listSteps({ range, now });
  const spend = readSpend(facts, { since: steps[0] ?? now, stepMs: RANGES[range].stepMs });
  return {
    ...{ range, steps },
    costUsd: steps.map((_, index) => spend.get(index)?.costUsd ?? 0),
    tokens: steps.map((_, index) => spend.get(index)?.tokens ?? 0),
  };
}

/** Lists the starts of the steps. The last step is the current hour or day, or the seven days until today. */
function listSteps({ range, now }: When): number[] {
  const { stepMs, steps } = RANGES[range];
  const last = range === 'hours' ? now - (now % HOUR_MS) : startOfDay(now) - (stepMs - DAY_MS);
  return Array.from({ length: steps }, (_, index) => last - (steps - 1 - index) * stepMs);
}

type Scope = { since: number; stepMs: number };

/** Counts finished and failed turns per step. Several failures of one turn in the same step count as one. */
function readTurns({ sqlite }: Snapshot, { since, stepMs }: Scope) {
  return sqlite
    .prepare<Scope, { index: number; done: number; failed: number }>(
      `select cast((created_at - @since) / @stepMs as integer) as "index",
         sum(event_type = 'turn_completed') as done,
         count(distinct case when event_type <> 'turn_completed' then turn_key end) as failed
       from runtime_events
       where event_type in ('turn_completed', 'turn_failed', 'turn_blocked') and created_at >= @since group by 1`,
    )
    .all({ since, stepMs });
}

function readSpend({ sqlite }: Snapshot, { since, stepMs }: Scope) {
  const rows = sqlite
    .prepare<Scope, { index: number; costUsd: number; tokens: number }>(
      `select cast((created_at - @since) / @stepMs as integer) as "index", sum(cost_usd) as costUsd,
         sum(input_tokens + output_tokens) as tokens
       from spend where created_at >= @since group by 1`,
    )
    .all({ since, stepMs });
  return new Map(rows.map((row) => [row.index, row]));
}
