import { setTimeout as sleep } from 'node:timers/promises';
import type { Container } from '../project.js';
import type { Scene } from '../scene.js';
import { type Scenario, TURN_MS } from './scenario.js';

const CUT_MS = 20_000;

/** Cuts a container off in a turn. Another comment arrives before its network is back. */
async function cutInTurn(scene: Scene, find: (busy: Container) => Promise<Container>): Promise<void> {
  const first = await scene.comment(TURN_MS);
  const container = await find(await scene.untilWorking());
  let second = 0;
  await scene.project.cutOff(container, async () => {
    await sleep(CUT_MS / 2);
    second = await scene.comment();
    await sleep(CUT_MS / 2);
  });
  for (const id of [first, second]) await scene.untilAnswered(id);
  await scene.project.start();
}

export const CUTS: readonly Scenario[] = [
  {
    name: 'a worker is cut off for 20 s and returns with another address',
    run: (scene) => cutInTurn(scene, async (busy) => busy),
  },
  {
    name: 'the poller is cut off for 20 s and returns with another address',
    run: (scene) => cutInTurn(scene, () => scene.project.find('poller')),
  },
];
