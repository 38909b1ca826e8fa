import { patiently } from '@mergexo/testkit';
import type { Scene } from '../scene.js';
import { type Note, type Scenario, TURN_MS } from './scenario.js';

/** A turn of 10 s, the push and the reply take less than this, also while compose stops the containers. */
const STOP_LIMIT_MS = 20_000;

/** Stops all services in a turn. The reply must be there when the command ends. */
async function stopInTurn({ project, ...scene }: Scene, command: 'stop' | 'down', note: Note): Promise<void> {
  const id = await scene.comment(TURN_MS);
  await scene.untilWorking();
  const startedAt = performance.now();
  await project.compose(command);
  const tookMs = performance.now() - startedAt;
  const replies = await scene.countRepliesTo(id);
  if (replies !== 1) throw new Error(`after \`${command}\`, the comment has ${replies} replies`);
  if (tookMs > patiently(STOP_LIMIT_MS)) throw new Error(`\`${command}\` took ${seconds(tookMs)}`);
  note(`took ${seconds(tookMs)}`);
  await project.start();
  await scene.untilAnswered(await scene.comment());
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

export const STOPS: readonly Scenario[] = [
  { name: '`stop` in a turn', run: (scene, note) => stopInTurn(scene, 'stop', note) },
  { name: '`down` in a turn', run: (scene, note) => stopInTurn(scene, 'down', note) },
  {
    name: 'all volumes are deleted',
    run: async ({ project, ...scene }) => {
      await project.compose('down', '--volumes');
      const id = await scene.comment();
      await project.start();
      await scene.untilAnswered(id);
    },
  },
];
