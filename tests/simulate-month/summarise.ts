import { type Choose, simulateMonth } from './simulate-month.js';

/** Counts are means per month. Waits are in hours, over all designs. */
export type Summary = { conflicts: number; merged: number; median: number; p95: number; longest: number };

export type Seeds = { first: number; last: number };

export function playMonths({ first, last }: Seeds, slots: number, choose: Choose): Summary {
  const seeds = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const months = seeds.map((seed) => simulateMonth(seed, slots, choose));
  const waits = months.flatMap((month) => month.waits).sort((a, b) => a - b);
  const waitAt = (quantile: number): number => waits[Math.floor(quantile * (waits.length - 1))] ?? 0;
  return {
    conflicts: mean(months.map(({ conflicts }) => conflicts)),
    merged: mean(months.map(({ merged }) => merged)),
    median: waitAt(0.5),
    p95: waitAt(0.95),
    longest: waitAt(1),
  };
}

export const HEADER = [
  '| | conflicts | merged | median wait | 95 % wait at most | longest wait |',
  '|---|---|---|---|---|---|',
].join('\n');

/** Renders a table row. Each count is followed by its percentage of the base's count. */
export function renderRow(name: string, own: Summary, base: Summary): string {
  const share = (part: number, whole: number): string =>
    `${part.toFixed(1)} (${((100 * part) / whole).toFixed(0)} %)`;
  const waits = [own.median, own.p95, own.longest].map((hours) => `${hours.toFixed(0)} h`);
  return `| ${[name, share(own.conflicts, base.conflicts), share(own.merged, base.merged), ...waits].join(' | ')} |`;
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
