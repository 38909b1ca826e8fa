import type { Scene } from '../scene.js';
import { type Scenario, TURN_MS } from './scenario.js';

/** Disturbs the services while an agent works, and waits for the reply. */
const disturb =
  (act: (scene: Scene) => Promise<unknown>) =>
  async (scene: Scene): Promise<void> => {
    const id = await scene.comment(TURN_MS);
    await act(scene);
    await scene.untilAnswered(id);
  };

export const CRASHES: readonly Scenario[] = [
  {
    name: 'kill -9 of a worker in a turn',
    isSmoke: true,
    run: disturb(async ({ untilWorking, project }) => project.crash(await untilWorking())),
  },
  {
    name: '`restart redis` in a turn',
    run: disturb(async ({ untilWorking, project }) => {
      await untilWorking();
      await project.compose('restart', 'redis');
    }),
  },
  {
    name: 'kill -9 of the poller in a turn',
    run: disturb(async ({ untilWorking, project }) => {
      await untilWorking();
      await project.crash(await project.find('poller'));
    }),
  },
];
