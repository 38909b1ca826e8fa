import type { Usage } from './measure-processes.js';
import { PYTHON, PYTHON_LATENCY_MS } from './python.js';
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
] as const;

const COMPARED = [`${PYTHON_LATENCY_MS} ms`, 'Python MergeXO', 'MergeXO'];

/** Renders the results as Markdown tables for docs/scaling.md. A table without rows is left out. */
export function renderTables(results: readonly Result[], usages: readonly Usage[]): string {
  const phases = results.flatMap(renderPhases);
  const compared = PYTHON.flatMap(({ what, seconds, requests }) => {
    const ours = results.find((result) => result.what === what && result.latencyMs === PYTHON_LATENCY_MS);
    return ours === undefined ? [] : [renderComparison(ours, { seconds, requests })];
  });
  const tables = [
    results.length === 0 ? [] : renderTable(HEADINGS, results.map(renderResult)),
    phases.length === 0 ? [] : renderTable(['Latency', 'Measured', ...PHASES], phases),
    compared.length === 0 ? [] : renderTable(COMPARED, compared),
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
  const { latencyMs, what, seconds, firstRequestSeconds, requests, counted, criticalPath, git } = result;
  const [median, min, max] = [seconds.median, seconds.min, seconds.max].map((value) => value.toFixed(1));
  return [
    `${latencyMs} ms`,
    what,
    `${median} (${min}–${max})`,
    firstRequestSeconds.toFixed(1),
    ...[requests, counted, criticalPath, git].map(String),
  ];
}

/** Each cell has the requests of a phase: all, counted, and on the critical path. */
function renderPhases({ latencyMs, what, phases }: Result): string[][] {
  if (phases === undefined) return [];
  const cells = PHASES.map((phase) => {
    const { total, counted, criticalPath } = phases[phase];
    return `${total} / ${counted} / ${criticalPath}`;
  });
  return [[`${latencyMs} ms`, what, ...cells]];
}

function renderComparison(
  { what, seconds, requests }: Result,
  python: { seconds: number | null; requests: number | null },
): string[] {
  const render = (time: number | null, count: number | null): string =>
    [time === null ? [] : `${time.toFixed(1)} s`, count === null ? [] : `${count} requests`]
      .flat()
      .join(', ');
  return [what, render(python.seconds, python.requests), render(seconds.median, requests)];
}

function renderUsage({ what, value, unit }: Usage): string[] {
  return [what, `${unit === 'ms' ? value.toFixed(1) : Math.round(value)} ${unit}`];
}
