import type { EvalRow } from './summarize-scores.js';

/** The heading of the table that `eval` prints. */
export const ROW_HEADING = [
  'input',
  'replays',
  'changed',
  'done',
  'tests pass',
  'regressions',
  'file overlap',
  'size',
  'comments found',
  'refuted',
  'tokens',
  'cost',
  'minutes',
] as const;

/** Renders one row of the table; `-` for a measure that no replay has. */
export function renderRow(row: EvalRow): string[] {
  const { meanFileOverlap, medianSizeRatio } = row;
  return [
    row.without === null ? 'complete' : `without ${row.without}`,
    String(row.replays),
    row.without === null ? '-' : String(row.affected),
    String(row.done),
    renderRatio(row.testsPass),
    renderRatio(row.regressions),
    meanFileOverlap === null ? '-' : meanFileOverlap.toFixed(2),
    medianSizeRatio === null ? '-' : `×${medianSizeRatio.toFixed(2)}`,
    renderRatio(row.commentsFound),
    renderRatio(row.findingsRefuted),
    String(row.tokens),
    `$${row.costUsd.toFixed(2)}`,
    row.minutes.toFixed(1),
  ];
}

function renderRatio({ count, of }: { count: number; of: number }): string {
  return of === 0 ? '-' : `${count}/${of}`;
}
