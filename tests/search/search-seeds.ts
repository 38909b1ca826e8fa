import { drawSchedule } from './play/draw-schedule.js';
import { runSchedule } from './play/run-schedule.js';

export type Violation = { seed: number; problems: string[] };
export type Totals = {
  schedules: number;
  steps: number;
  crashes: number;
  violations: Violation[];
  /** How often code passed each failpoint, event and reason. */
  reach: Record<string, number>;
};

/** One of this many schedules also validates GitHub's answers, which takes longer than anything else. */
const VALIDATED = 50;

export function noTotals(): Totals {
  return { schedules: 0, steps: 0, crashes: 0, violations: [], reach: {} };
}

export function addTotals(sum: Totals, more: Totals): Totals {
  const reach = { ...sum.reach };
  for (const [name, count] of Object.entries(more.reach)) reach[name] = (reach[name] ?? 0) + count;
  return {
    schedules: sum.schedules + more.schedules,
    steps: sum.steps + more.steps,
    crashes: sum.crashes + more.crashes,
    violations: [...sum.violations, ...more.violations],
    reach,
  };
}

/** Runs the schedule of each seed. `onSchedule` may end the search by returning false. */
export async function searchSeeds(
  seeds: Iterable<number>,
  onSchedule: (sum: Totals) => boolean,
): Promise<Totals> {
  let sum = noTotals();
  for (const seed of seeds) {
    const outcome = await runSchedule(drawSchedule(seed), { validates: seed % VALIDATED === 0 });
    const { problems, steps, crashes, reach } = outcome;
    const violations = problems.length === 0 ? [] : [{ seed, problems }];
    const one = {
      schedules: 1,
      steps,
      crashes: crashes.length,
      violations,
      reach: Object.fromEntries(reach),
    };
    sum = addTotals(sum, one);
    if (!onSchedule(sum)) break;
  }
  return sum;
}
