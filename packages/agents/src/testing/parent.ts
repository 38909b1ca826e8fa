/** Stands in for a worker as a process of its own: it can be killed, and its memory can be measured. */
import { createCommandAgent } from '../command.js';
import { aRequest } from './a-request.js';

const { host, argv, limits, cwd, home } = JSON.parse(process.argv[2] ?? '{}');
const before = process.memoryUsage().rss;
const agent = createCommandAgent({ host, argv, limits });
const run = await agent.runTurn(aRequest('bugfix_start'), {
  cwd,
  home,
  signal: new AbortController().signal,
});
// Kilobytes, as the system keeps them.
const grown = process.resourceUsage().maxRSS * 1024 - before;
process.stdout.write(JSON.stringify({ run, grown }));
