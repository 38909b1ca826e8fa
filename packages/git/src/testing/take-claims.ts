import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mayBeAlive, referToSelf } from '@mergexo/process';
import { tryClaim } from '../base-dir/claim.js';

/** Takes and releases a few claims in a loop, and sometimes dies while holding one. Reports claims with two holders. */
const [dir = '', rounds = '0', seed = '0'] = process.argv.slice(2);
const PLACES = 3;
const self = JSON.stringify(referToSelf());
let random = Number(seed) + 1;
const next = (below: number): number => {
  random = (random * 48_271) % 2_147_483_647;
  return random % below;
};

function isHeldByAnother(holder: string): boolean {
  try {
    return mayBeAlive(JSON.parse(readFileSync(holder, 'utf8')));
  } catch {
    return false;
  }
}

function work(index: number): void {
  const claim = tryClaim(join(dir, `claims-${index}`));
  if (claim === undefined) return;
  const holder = join(dir, `holder-${index}`);
  if (isHeldByAnother(holder)) appendFileSync(join(dir, 'violations'), `${index} ${self}\n`);
  writeFileSync(holder, self);
  const until = performance.now() + next(3) / 2;
  while (performance.now() < until);
  if (next(40) === 0) process.kill(process.pid, 'SIGKILL');
  if (readFileSync(holder, 'utf8') !== self)
    appendFileSync(join(dir, 'violations'), `${index} lost ${self}\n`);
  rmSync(holder);
  appendFileSync(join(dir, 'taken'), '.');
  claim.release();
}

for (let round = 0; round < Number(rounds); round += 1) {
  work(next(PLACES));
  if (next(4) === 0) await new Promise((resolve) => setTimeout(resolve, next(3)));
}
