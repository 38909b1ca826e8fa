import { aRequest } from '@mergexo/testkit';
import { createBench } from '../testing/bench.js';
import { createCliBench } from '../testing/cli-bench.js';
import { describeIn, findSandboxes } from '../testing/sandboxes.js';
import type { AgentEvent } from '../turn/agent.js';

const { all } = await findSandboxes(process.env);
const TOKEN = `ghp_${'x7'.repeat(18)}`;

describeIn(all, 'an answer that is not JSON, in $name', ({ sandbox }) => {
  it.each([
    ['codex', `codex('Sure! ${TOKEN} ' + 'z'.repeat(5000));`],
    ['claude', `claude({ result: 'Sure! ${TOKEN} ' + 'z'.repeat(5000) });`],
  ] as const)('is logged without secrets, and only up to a limit (%s)', async (name, lines) => {
    const bench = createBench(sandbox, { PATH: process.env['PATH'] });
    const texts: string[] = [];
    const onEvent = (event: AgentEvent): void => void (event.kind === 'log' && texts.push(event.text));
    try {
      const agent = createCliBench(bench)[name](lines);
      await agent.runTurn(aRequest('bugfix_start'), bench.turnContext({ onEvent }));
    } finally {
      bench.remove();
    }
    expect(texts.join('')).toMatch(/not a single JSON value\. It begins: Sure! .*z…$/);
    expect(texts.join('')).not.toContain(TOKEN);
    expect(texts.join('').length).toBeLessThan(300);
  });
});
