import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryClaim } from '../base-dir/claim.js';

/** Competes with other processes for the claims of dead owners, one at a time, and keeps the claims that it wins. */
const [dir = '', count = '0', rivals = '1', startAt = '0'] = process.argv.slice(2);
const STEP_MS = 3;
for (let index = 0; index < Number(count); index += 1) {
  while (Date.now() < Number(startAt) + index * STEP_MS);
  if (tryClaim(join(dir, `dead-${index}`)) !== undefined) appendFileSync(join(dir, `won-${index}`), '.');
}
// Waits for all rivals, because the others would treat a process that exits first as a dead owner.
writeFileSync(join(dir, `ready-${process.pid}`), '');
while (readdirSync(dir).filter((name) => name.startsWith('ready-')).length < Number(rivals)) await sleep(10);
