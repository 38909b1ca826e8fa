import { isLive } from '@mergexo/core/turns';
import { NOT_IN_STARTS } from '../../fleet/failpoints.js';
import { REPO } from '../../fleet/walk.js';
import type { Flow } from '../flow.js';
import type { Scene } from '../scene.js';
import { openIssue, STARTED } from './starts.js';

/** Opens an issue whose agent works until the gate opens. */
async function startAgent(scene: Scene): Promise<void> {
  await openIssue(scene, 'agent:small-job', { waitFor: scene.gate });
  await scene.until(() => {
    if (scene.walk.agentCalls(1) === 0) throw new Error('the agent has not started');
  });
}

async function untilNoTurn(scene: Scene): Promise<void> {
  await scene.until(() => {
    if (scene.turns().some(isLive)) throw new Error('the turn has not ended');
  });
}

async function expectNotice({ walk }: Scene): Promise<void> {
  const rows = await walk.alice.request('GET', `/repos/${REPO}/issues/1/comments?per_page=100`);
  if (!JSON.stringify(rows).includes('kind=close_notice')) throw new Error('the end has no notice');
}

async function expectNothingPublished({ walk }: Scene): Promise<void> {
  const pulls = await walk.alice.request('GET', `/repos/${REPO}/pulls?state=all`);
  const pushes = walk.twin.history.list('ref').filter(({ by }) => by === 'robot');
  if (!Array.isArray(pulls) || pulls.length + pushes.length > 0)
    throw new Error('G-STOP-1: something was published during a takeover');
}

export const STOP_FLOWS: readonly Flow[] = [
  {
    name: 'takeover',
    skips: NOT_IN_STARTS,
    async play(scene) {
      await startAgent(scene);
      await scene.alice.label(REPO, 1, 'agent:ignore');
      await untilNoTurn(scene);
      await expectNothingPublished(scene);
      await scene.alice.unlabel(REPO, 1, 'agent:ignore');
      scene.openGate();
      await scene.finish(1);
    },
    results: STARTED,
  },
  {
    name: 'close',
    skips: NOT_IN_STARTS,
    async play(scene) {
      await startAgent(scene);
      await scene.alice.close(REPO, 1);
      await untilNoTurn(scene);
      await expectNothingPublished(scene);
      await scene.until(() => expectNotice(scene));
      await scene.alice.reopen(REPO, 1);
      scene.openGate();
      await scene.finish(1);
    },
    // The end of the work, and later the link to the pull request.
    results: { ...STARTED, onIssues: 2 },
  },
];
