import { UsageError } from '@mergexo/core/basics';
import { countOf } from '@mergexo/core/text';
import { COST_GROUPS, type Cost, type CostGroup, listCosts } from '@mergexo/state';
import type { Context } from '../../context.js';
import { describeUse, isUnknown, toMinutes } from '../../describe-use.js';
import { toLine } from '../../printable.js';
import { findRepositories, readFacts } from '../../read-state.js';
import { renderTable } from '../../render-table.js';

export type CostOptions = { by?: string; days?: string; repo?: string };

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 3_650;

/** Shows what agents used per issue, day, repository or phase. Days begin at midnight UTC, as they do for the limits. */
export function cost(context: Context, options: CostOptions): void {
  const by = parseGroup(options.by ?? 'issue');
  const days = parseDays(options.days);
  const now = Date.now();
  const since = now - (now % DAY_MS) - (days - 1) * DAY_MS;
  const costs = readFacts(context, (facts) => {
    const repoId =
      options.repo === undefined ? undefined : findRepositories(facts.state, options.repo)[0]?.id;
    return listCosts(facts, { by, since, repoId });
  });
  const total = sum(costs);
  const json = { by, since: new Date(since).toISOString(), rows: costs.map(toJson), total: toJson(total) };
  context.print({ ok: true, ...json }, () => render(costs, { by, days, total }));
}

function parseGroup(text: string): CostGroup {
  const group = COST_GROUPS.find((name) => name === text);
  if (group !== undefined) return group;
  throw new UsageError(`--by must be one of ${COST_GROUPS.join(', ')}, not ${JSON.stringify(text)}.`);
}

function parseDays(text: string | undefined): number {
  const days = text === undefined ? DEFAULT_DAYS : Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) return days;
  throw new UsageError(`--days must be a whole number from 1 to ${MAX_DAYS}.`);
}

function sum(costs: readonly Cost[]): Cost {
  const add = (pick: (cost: Cost) => number): number => costs.reduce((total, cost) => total + pick(cost), 0);
  return {
    ...{ repo: null, issue: null, title: null, day: null, phase: null },
    turns: add(({ turns }) => turns),
    attempts: add(({ attempts }) => attempts),
    attemptsWithoutCost: add(({ attemptsWithoutCost }) => attemptsWithoutCost),
    inputTokens: add(({ inputTokens }) => inputTokens),
    outputTokens: add(({ outputTokens }) => outputTokens),
    costUsd: add(({ costUsd }) => costUsd),
    pricedAttempts: add(({ pricedAttempts }) => pricedAttempts),
    cachedTokens: addKnown(costs.map(({ cachedTokens }) => cachedTokens)),
    durationMs: addKnown(costs.map(({ durationMs }) => durationMs)),
    agents: [...new Set(costs.flatMap(({ agents }) => agents?.split(',') ?? []))].join(',') || null,
  };
}

/** Unknown only if every value is unknown. */
function addKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}

function toJson(cost: Cost) {
  return {
    repo: cost.repo,
    issue: cost.issue,
    title: cost.title,
    day: cost.day === null ? null : toDay(cost.day),
    phase: cost.phase,
    turns: cost.turns,
    ...describeUse(cost),
  };
}

const toDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

const HEADINGS: Record<CostGroup, string> = {
  issue: 'ISSUE',
  day: 'DAY',
  repo: 'REPOSITORY',
  phase: 'PHASE',
};

const NAMES: Record<CostGroup, (cost: Cost) => string> = {
  issue: ({ repo, issue, title }) =>
    `${repo ?? 'unknown'}#${issue ?? '?'}${title === null ? '' : `  ${toLine(title, 50)}`}`,
  day: ({ day }) => toDay(day ?? 0),
  repo: ({ repo }) => repo ?? 'unknown',
  phase: ({ phase }) => (phase ?? 'unknown').replaceAll('_', ' '),
};

function render(
  costs: readonly Cost[],
  { by, days, total }: { by: CostGroup; days: number; total: Cost },
): string[] {
  const period = days === 1 ? 'today (UTC)' : `in the last ${days} days`;
  if (costs.length === 0) return [`No agent reported any usage ${period}.`];
  const rows = [...costs.map((cost) => renderRow(NAMES[by](cost), cost)), renderRow('total', total)];
  const { attemptsWithoutCost: missing, pricedAttempts: priced } = total;
  return [
    `Agent usage ${period}:`,
    ...renderTable(
      [HEADINGS[by], 'TURNS', 'ATTEMPTS', 'MINUTES', 'TOKENS IN', 'CACHED', 'TOKENS OUT', 'USD', 'AGENT'],
      rows,
    ),
    ...(missing === 0
      ? []
      : [
          `For ${countOf(missing, 'attempt')}, the agent reported tokens but no cost. The USD column omits them. To compute their cost, set the model's price in [prices].`,
        ]),
    ...(priced === 0 ? [] : [`For ${countOf(priced, 'attempt')}, MergeXO computed the cost from [prices].`]),
  ];
}

function renderRow(name: string, cost: Cost): string[] {
  const { turns, attempts, inputTokens, outputTokens, costUsd, cachedTokens, durationMs, agents } = cost;
  return [
    name,
    String(turns),
    String(attempts),
    durationMs === null ? '-' : toMinutes(durationMs).toFixed(1),
    String(inputTokens),
    cachedTokens === null ? '-' : String(cachedTokens),
    String(outputTokens),
    isUnknown(cost) ? 'unknown' : costUsd.toFixed(2),
    agents === null ? '-' : toLine(agents.replaceAll(',', ', '), 60),
  ];
}
