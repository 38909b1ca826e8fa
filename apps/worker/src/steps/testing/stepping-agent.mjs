/** An agent that performs the steps stored in its home, one per run: runs a shell script in the slot, then answers. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const { HOME: home = '.' } = process.env;
const request = JSON.parse(readFileSync(0, 'utf8'));
const log = join(home, 'calls.jsonl');
const before = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').length : 0;
appendFileSync(log, `${JSON.stringify(request)}\n`);
const step = JSON.parse(readFileSync(join(home, 'steps.json'), 'utf8'))[before];
if (step.shell) execFileSync('/bin/sh', ['-ec', step.shell], { stdio: ['ignore', 'ignore', 'inherit'] });
process.stdout.write(JSON.stringify(step.answer));
