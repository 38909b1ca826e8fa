import { COST_GROUPS, type Cost, type CostGroup, listCosts, type Snapshot } from '@mergexo/state';
import { readSpendSeries } from './charts/read-series.js';
import { DAY_MS, startOfDay } from './start-of-day.js';

export const COST_DAYS = [7, 30, 90, 365] as const;
export type CostDays = (typeof COST_DAYS)[number];
export type CostQuery = { by: CostGroup; days: CostDays };
export type Costs = ReturnType<typeof readCosts>;

const SHOWN_ISSUES = 50;

export function parseCostQuery(params: URLSearchParams): CostQuery {
  return {
    by: COST_GROUPS.find((group) => group === params.get('by')) ?? 'day',
    days: COST_DAYS.find((days) => String(days) === params.get('days')) ?? 30,
  };
}

/** Reads the costs of the last days, today included, and how many rows are left out. */
export function readCosts(facts: Snapshot, { by, days }: CostQuery, now: number) {
  const today = startOfDay(now);
  const since = today - (days - 1) * DAY_MS;
  const rows = readCostRows(facts, { by, days }, now);
  const perDay = listCosts(facts, { by: 'day', since: today - 29 * DAY_MS });
  const sum = (from: number, to: number): Totals => sumCosts(perDay, { from, to });
  return {
    rows: rows.slice(0, SHOWN_ISSUES),
    hidden: Math.max(0, rows.length - SHOWN_ISSUES),
    total: sumCosts(rows, undefined),
    figures: [
      { name: 'Today', ...sum(today, today) },
      { name: 'Yesterday', ...sum(today - DAY_MS, today - DAY_MS) },
      { name: 'Last 7 days', ...sum(today - 6 * DAY_MS, today) },
      { name: 'Last 30 days', ...sum(today - 29 * DAY_MS, today) },
    ],
    since,
    series: readSpendSeries(facts, { range: days <= 30 ? 'days' : 'weeks', now }),
  };
}

/** Reads all rows of a group. Days come newest first. */
export function readCostRows(facts: Snapshot, { by, days }: CostQuery, now: number): Cost[] {
  const rows = listCosts(facts, { by, since: startOfDay(now) - (days - 1) * DAY_MS });
  return by === 'day' ? rows.toReversed() : rows;
}

export type Totals = { costUsd: number; tokens: number; withoutCost: number };

function sumCosts(rows: readonly Cost[], range: { from: number; to: number } | undefined): Totals {
  const counted = range === undefined ? rows : rows.filter(({ day }) => isWithin(day, range));
  const total = (value: (row: Cost) => number): number => counted.reduce((sum, row) => sum + value(row), 0);
  return {
    costUsd: total(({ costUsd }) => costUsd),
    tokens: total(({ inputTokens, outputTokens }) => inputTokens + outputTokens),
    withoutCost: total(({ attemptsWithoutCost }) => attemptsWithoutCost),
  };
}

function isWithin(day: number | null, { from, to }: { from: number; to: number }): boolean {
  return day !== null && day >= from && day <= to;
}
