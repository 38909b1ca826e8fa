import { startTwin } from '@mergexo/github-twin';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { createPlanStart } from './plan-start.js';
import { aStartContext } from './testing/a-start-context.js';
import { aRemote, createScene, plan } from './testing/scene.js';
import { say } from './testing/stage.js';

const CHANGE = { pr_title: 'Fix', pr_summary: 'Fixed.', commit_message: 'Fix', state_summary: 'done' };
const NEST = `for i in $(seq 30); do mkdir ${'d'.repeat(200)} && cd -P ${'d'.repeat(200)}; done; touch f`;

describe('an agent that leaves files that MergeXO cannot read', () => {
  const files = { 'src/a.txt': 'one\n', 'setup.sh': `#!/bin/sh\n${NEST}\n` };
  const scene = createScene(createTemporaryDirectory(), () => startTwin({ seed: aRemote(files) }));
  const start = (name: string, repo: { setup?: string }, shell: string) => {
    const stage = scene.openStage(name, { steps: [say(CHANGE, shell)], repo });
    const context = aStartContext({ flow: 'small_job', branch: `agent/small/${name}` });
    return plan(createPlanStart(stage.tools), 'small_job_start', context);
  };

  it('is not paid again for each retry of an outage', async () => {
    expect(await start('agent', {}, NEST)).toMatchObject({ parcel: { plan: { result: { kind: 'wait' } } } });
  });

  it('counts as a failed attempt if setup left them', async () => {
    expect(await start('setup', { setup: 'setup.sh' }, 'true')).toMatchObject({
      kind: 'failed',
      cause: 'agent',
    });
  });
});
