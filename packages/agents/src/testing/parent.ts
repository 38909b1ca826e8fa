/** Acts as a worker process. Tests can kill the process and measure its memory. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createCommandAgent } from '../command/command.js';

const { request, host, argv, limits, cwd, home } = JSON.parse(process.argv[2] ?? '{}');

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
/** The memory in use after a garbage collection. The process size would also depend on when the collector runs. */
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
const run = await agent.runTurn(request, {
  cwd,
  home,
  signal: new AbortController().signal,
});
clearInterval(watch);
process.stdout.write(JSON.stringify({ run, grown: most - before }));
