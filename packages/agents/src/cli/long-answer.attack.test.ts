import { aRequest } from '@mergexo/testkit';
import { createBench } from '../testing/bench.js';
import { createCliBench } from '../testing/cli-bench.js';
import { describeIn, findSandboxes } from '../testing/sandboxes.js';

const { all } = await findSandboxes(process.env);

describeIn(all, 'an agent in $name', ({ sandbox }) => {
  it.each([
    ['text', `claude({ result: 'a '.repeat(600_000) });`],
    ['data', `claude({ structured_output: { items: Array(600).fill('%2561'.repeat(400)) } });`],
  ])('cannot stall MergeXO with an answer of a million characters: %s', async (_name, lines) => {
    const bench = createBench(sandbox, { PATH: process.env['PATH'] });
    const run = await createCliBench(bench)
      .claude(lines)
      .runTurn(aRequest('bugfix_start'), bench.turnContext());
    bench.remove();
    expect(run).toMatchObject({
      kind: 'failed',
      failure: 'invalid-output',
      message: "the agent's answer has more than 1000000 characters",
    });
  });
});
