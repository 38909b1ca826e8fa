import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { commit, git } from '../testing/shell.js';
import { makeWorld, NEW_BRANCH, type World } from '../testing/world.js';

describe('comparing a branch with its base', () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld();
  });
  afterEach(() => world.remove());

  it('lists files that the branch changed since it diverged, up to a limit', async () => {
    rmSync(join(world.clone, 'src/b.txt'));
    const head = world.pushBranch({ 'src/a.txt': 'two\n', 'z.txt': 'new\n' });
    const { slot, baseSha } = await world.continueAt(head);
    const all = await slot.compare({ base: baseSha, head, maxFiles: 10 });
    expect(all).toEqual([
      { path: 'src/a.txt', status: 'modified' },
      { path: 'src/b.txt', status: 'deleted' },
      { path: 'z.txt', status: 'added' },
    ]);
    expect(await slot.compare({ base: baseSha, head, maxFiles: 1 })).toEqual(all.slice(0, 1));
    const missing = slot.compare({ base: '1'.repeat(40), head, maxFiles: 1 });
    await expect(missing).rejects.toMatchObject({ name: 'Failure' });
  });

  it('lists the changed files even if the branch and its base have no common commit', async () => {
    const { slot, head } = await world.start();
    git(world.clone, 'checkout', '-q', '--orphan', 'fresh');
    const other = commit(world.clone, { 'x.txt': 'x\n' });
    git(world.clone, 'push', '-q', 'origin', 'fresh');
    await slot.restore(NEW_BRANCH);
    expect(await slot.compare({ base: head, head: other, maxFiles: 10 })).toMatchObject([{ path: 'x.txt' }]);
  });
});
