import type { Cost } from '@mergexo/state';

const COLUMNS: readonly { name: string; value: (row: Cost) => string | number | null }[] = [
  { name: 'day', value: ({ day }) => (day === null ? null : new Date(day).toISOString().slice(0, 10)) },
  { name: 'repository', value: ({ repo }) => repo },
  { name: 'issue', value: ({ issue }) => issue },
  { name: 'title', value: ({ title }) => title },
  { name: 'phase', value: ({ phase }) => phase },
  { name: 'turns', value: ({ turns }) => turns },
  { name: 'agents', value: ({ agents }) => agents },
  { name: 'attempts', value: ({ attempts }) => attempts },
  { name: 'attempts_without_cost', value: ({ attemptsWithoutCost }) => attemptsWithoutCost },
  { name: 'input_tokens', value: ({ inputTokens }) => inputTokens },
  { name: 'cached_tokens', value: ({ cachedTokens }) => cachedTokens },
  { name: 'output_tokens', value: ({ outputTokens }) => outputTokens },
  {
    name: 'minutes',
    value: ({ durationMs }) => (durationMs === null ? null : Number((durationMs / 60_000).toFixed(1))),
  },
  { name: 'cost_usd', value: ({ costUsd }) => Number(costUsd.toFixed(6)) },
];

/** Renders costs as CSV (RFC 4180). Columns that do not apply to the group are empty. */
export function renderCostsCsv(rows: readonly Cost[]): string {
  const lines = [
    COLUMNS.map(({ name }) => name),
    ...rows.map((row) => COLUMNS.map(({ value }) => renderCell(value(row)))),
  ];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

/**
 * Quotes a text. A spreadsheet would run a text that starts like a formula, and titles come from strangers, so such a
 * text gets an apostrophe in front. Some spreadsheets also split at semicolons, so these become commas.
 */
function renderCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = value.replace(/\s+/g, ' ').replaceAll(';', ',').trim();
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
