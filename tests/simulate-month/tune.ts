/** `node tests/dist/simulate-month/tune.js` prints the effect of other weights. Build first. */
import { DEFAULT_WEIGHTS, type SchedulerWeights } from '@mergexo/core/scheduler';
import { chooseByArrival, chooseByConflict } from './simulate-month.js';
import { HEADER, playMonths, renderRow } from './summarise.js';

const seeds = { first: 1, last: 20 };
const SLOTS = 6;

const VARIANTS: [string, Partial<SchedulerWeights>][] = [
  ['the defaults', {}],
  ['`conflict_threshold` 0.2', { conflictThreshold: 0.2 }],
  ['`conflict_threshold` 0.3', { conflictThreshold: 0.3 }],
  ['`conflict_threshold` 1: the score alone', { conflictThreshold: 1 }],
  ['`patience_days` 2', { patienceDays: 2 }],
  ['`patience_days` 3', { patienceDays: 3 }],
  ['`patience_days` 5', { patienceDays: 5 }],
  ['`patience_days` 365: without limit', { patienceDays: 365 }],
  ['`conflict_weight` 2', { conflictWeight: 2 }],
  ['`conflict_weight` 8', { conflictWeight: 8 }],
  ['`staleness_penalty` -0.05', { stalenessPenalty: -0.05 }],
];

const base = playMonths(seeds, SLOTS, chooseByArrival);
process.stdout.write(`Seeds ${seeds.first} to ${seeds.last}, ${SLOTS} slots, means per month\n\n${HEADER}\n`);
process.stdout.write(`${renderRow('first come, first served', base, base)}\n`);
for (const [name, weights] of VARIANTS) {
  const own = playMonths(seeds, SLOTS, chooseByConflict({ ...DEFAULT_WEIGHTS, ...weights }));
  process.stdout.write(`${renderRow(name, own, base)}\n`);
}
