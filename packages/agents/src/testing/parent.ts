/** Stands in for a worker as a process of its own: it can be killed, and its memory can be measured. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createCommandAgent } from '../command/command.js';
import { aRequest } from './a-request.js';

const { host, argv, limits, cwd, home } = JSON.parse(process.argv[2] ?? '{}');

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
/** What is really held: the size of the process also tells how lazy the collector is. */
function measureHeld(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const before = measureHeld();
let most = before;
const watch = setInterval(() => {
  most = Math.max(most, measureHeld());
}, 50);
const agent = createCommandAgent({ host, argv, limits });
const run = await agent.runTurn(aRequest('bugfix_start'), {
  cwd,
  home,
  signal: new AbortController().signal,
});
clearInterval(watch);
process.stdout.write(JSON.stringify({ run, grown: most - before }));
