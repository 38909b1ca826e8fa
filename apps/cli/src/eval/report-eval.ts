import { type EvalRow, ROW_HEADING, renderRow, summarizeScores } from '@mergexo/core/eval';
import type { Redact } from '@mergexo/core/text';
import type { Context } from '../context.js';
import { toLine } from '../printable.js';
import { renderTable } from '../render-table.js';
import type { Measured, PlanTools, Ran } from './run-plan.js';

/** Creates the function that prints progress, one short line at a time, without secrets. */
export function createTell(
  { redact = (text: string) => text }: { redact?: Redact },
  write: (line: string) => void,
): PlanTools['tell'] {
  return (line) => write(`${toLine(redact(line), 500)}\n`);
}

/** Prints one row of scores for the complete input, and one for each omitted item. */
export function printResult(
  context: Pick<Context, 'print'>,
  ran: Ran,
  { ablations, dir }: { ablations: readonly string[]; dir: string },
): void {
  const rows = [null, ...ablations].map((without) => summarize(without, ran.measured));
  context.print({ ok: ran.stopped === null, dir, rows, ...ran }, () => render(rows, ran, dir));
}

function summarize(without: string | null, measured: readonly Measured[]): EvalRow {
  return summarizeScores(
    without,
    measured.filter((one) => one.without === without),
  );
}

function render(rows: readonly EvalRow[], { leaks, skipped, stopped }: Ran, dir: string): string[] {
  return [
    ...renderTable(ROW_HEADING, rows.map(renderRow)),
    '',
    ...leaks.map((leak) => `Warning: ${leak}. The agent could have found the merged change.`),
    ...(skipped.length === 0 ? [] : [`Skipped pull requests: ${skipped.length}.`]),
    ...(stopped === null ? [] : [`Stopped: ${stopped}. Run the command again to continue.`]),
    `The results are in ${dir}.`,
  ];
}
