/** Compares first come, first served with the choice by conflict risk: `npm run simulate:month [first seed] [last seed]`. */
import {
  type Choose,
  chooseByArrival,
  chooseByConflict,
  type MonthResult,
  simulateMonth,
} from './simulate-month.js';

const [first = 101, last = 140] = process.argv.slice(2).map(Number);
const SLOTS = [4, 6, 10];
const WAYS: [string, Choose][] = [
  ['first come, first served', chooseByArrival],
  ['by conflict risk', chooseByConflict()],
];

const seeds = Array.from({ length: last - first + 1 }, (_, index) => first + index);
const lines = SLOTS.flatMap((slots) => {
  const [base, ...others] = WAYS.map(([name, choose]) => ({
    name,
    results: seeds.map((seed) => simulateMonth(seed, slots, choose)),
  }));
  if (base === undefined) return [];
  return [base, ...others].map(({ name, results }) => renderRow(slots, name, results, base.results));
});
process.stdout.write(
  [
    `Seeds ${first} to ${last}, means of ${seeds.length} months of 200 designs`,
    '',
    '| slots | order | conflicts | merged | share of conflicts | share of merged | median wait | 95 % wait at most | longest wait |',
    '|---|---|---|---|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n'),
);

function renderRow(
  slots: number,
  name: string,
  results: readonly MonthResult[],
  base: readonly MonthResult[],
): string {
  const conflicts = sum(results.map((result) => result.conflicts));
  const merged = sum(results.map((result) => result.merged));
  const share = (part: number, whole: readonly number[]): string =>
    `${((100 * part) / sum(whole)).toFixed(0)} %`;
  const waits = results.flatMap((result) => result.waits).sort((a, b) => a - b);
  const wait = (quantile: number): string =>
    `${(waits[Math.floor(quantile * (waits.length - 1))] ?? 0).toFixed(0)} h`;
  const cells = [
    slots,
    name,
    (conflicts / results.length).toFixed(1),
    (merged / results.length).toFixed(1),
    share(
      conflicts,
      base.map((result) => result.conflicts),
    ),
    share(
      merged,
      base.map((result) => result.merged),
    ),
    wait(0.5),
    wait(0.95),
    wait(1),
  ];
  return `| ${cells.join(' | ')} |`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
