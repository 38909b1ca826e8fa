/** `npm run simulate:month` compares first come, first served with choosing by conflict risk. Takes two minutes. */
import { chooseByArrival, chooseByConflict } from './simulate-month.js';
import { HEADER, playMonths, renderRow } from './summarise.js';

/** Seeds that were not used to tune the weights. */
const seeds = { first: 101, last: 140 };

process.stdout.write(`Seeds ${seeds.first} to ${seeds.last}, means per month\n\n${HEADER}\n`);
for (const slots of [4, 6, 10]) {
  const base = playMonths(seeds, slots, chooseByArrival);
  const byConflict = playMonths(seeds, slots, chooseByConflict());
  process.stdout.write(`${renderRow(`${slots} slots, first come, first served`, base, base)}\n`);
  process.stdout.write(`${renderRow(`${slots} slots, by conflict risk`, byConflict, base)}\n`);
}
