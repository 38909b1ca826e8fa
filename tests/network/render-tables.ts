import type { Usage } from './measure-processes.js';
import type { Result } from './result.js';
import { PHASES } from './round.js';

const HEADINGS = [
  'Latency',
  'Measured',
  'Seconds',
  'First request',
  'Requests',
  'Counted',
  'Critical path',
  'git',
  'By phase',
] as const;

/** Renders the results as Markdown tables for docs/scaling.md. A table without rows is left out. */
export function renderTables(results: readonly Result[], usages: readonly Usage[]): string {
  const tables = [
    results.length === 0 ? [] : renderTable(HEADINGS, results.map(renderResult)),
    usages.length === 0 ? [] : renderTable(['Process', 'Measured'], usages.map(renderUsage)),
  ];
  return tables
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

function renderTable(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [headings, headings.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

function renderResult(result: Result): string[] {
  const { latencyMs, what, seconds, firstRequestSeconds, requests, counted, criticalPath, git, phases } =
    result;
  const [median, min, max] = [seconds.median, seconds.min, seconds.max].map((value) => value.toFixed(1));
  const byPhase = phases && PHASES.map((phase) => `${phase} ${phases[phase]}`).join(', ');
  return [
    `${latencyMs} ms`,
    what,
    `${median} (${min}–${max})`,
    firstRequestSeconds.toFixed(1),
    ...[requests, counted, criticalPath, git].map(String),
    byPhase ?? '',
  ];
}

function renderUsage({ what, value, unit }: Usage): string[] {
  return [what, `${unit === 'ms' ? value.toFixed(1) : Math.round(value)} ${unit}`];
}
