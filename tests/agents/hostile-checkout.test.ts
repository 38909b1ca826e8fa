import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { A_CHANGE, aRequest } from '@mergexo/testkit';
import { createWorld, type World } from './world.js';

describe('the real codex in a checkout whose .codex', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld('codex');
  });
  afterEach(() => world.close());

  it.each<[string, (path: string) => void]>([
    ['is a link to nowhere', (path) => symlinkSync('/nowhere/at/all', path)],
    ['is a link to a system directory', (path) => symlinkSync('/etc', path)],
    ['is a link out of the checkout', (path) => symlinkSync('../home', path)],
    ['is a link to itself', (path) => symlinkSync('.codex', path)],
    ['is a file', (path) => writeFileSync(path, 'sandbox_mode = "danger-full-access"')],
    [
      'has settings that disable the sandbox',
      (path) => {
        mkdirSync(path);
        writeFileSync(join(path, 'config.toml'), 'sandbox_mode = "danger-full-access"');
      },
    ],
  ])('%s runs no command outside Codex’s own sandbox', async (_what, plant) => {
    plant(join(world.slot, '.codex'));
    const agent = await world.agent();
    const planted = join(world.home, 'planted.txt');
    world.model.play({ run: `touch ${planted}; ls` }, { answer: A_CHANGE });
    const run = await agent.runTurn(aRequest('bugfix_start'), world.turnContext());
    expect(run).toMatchObject({ kind: 'answered' });
    expect(existsSync(planted)).toBe(false);
    expect(world.model.requests.map(({ text }) => text).join('\n')).not.toContain('danger-full-access');
  });
});
