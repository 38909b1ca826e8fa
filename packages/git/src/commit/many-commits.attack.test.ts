import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Slot } from '../slot/slot.js';
import { commit, git } from '../testing/shell.js';
import { BRANCH, makeWorld, TRAILER, type World } from '../testing/world.js';

describe('commits whose files need much more space than their objects', () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld({ limits: { slotBytes: 1_000_000, slotFiles: 10_000 } });
  });
  afterEach(() => world.remove());

  const collect = (slot: Slot, startSha: string) =>
    slot.collect({ startSha, message: 'Work', trailer: TRAILER });
  /** Adds a folder with four names of the same file. */
  const addCopies = (dir: string, folder: string, bytes = 100_000) => {
    const names = ['a', 'b', 'c', 'd'].map((name) => `${folder}/${name}`);
    return commit(dir, Object.fromEntries(names.map((name) => [name, 'x'.repeat(bytes)])));
  };
  /** Commits a tree with `width` to the power of three paths, from three objects. */
  const plantBomb = (slot: Slot, width: number) => {
    const blob = git(slot.path, 'rev-parse', 'HEAD:README.md');
    const nest = (entry: string): string => {
      const input = Array.from({ length: width }, (_, index) => `${entry}\tn${index}\n`).join('');
      return execFileSync('git', ['-C', slot.path, 'mktree'], { input, encoding: 'utf8' }).trim();
    };
    const tree = nest(`040000 tree ${nest(`040000 tree ${nest(`100644 blob ${blob}`)}`)}`);
    git(
      slot.path,
      'update-ref',
      'HEAD',
      git(slot.path, 'commit-tree', tree, '-p', 'HEAD', '-m', 'Add files'),
    );
  };

  it('are limited together, not one by one', async () => {
    const { slot, head } = await world.start();
    for (const folder of ['one', 'two']) addCopies(slot.path, folder);
    expect(await collect(slot, head)).toMatchObject({ kind: 'collected' });
    addCopies(slot.path, 'three');
    expect(await collect(slot, head)).toMatchObject({ kind: 'too-large', bytes: 1_200_000 });
  });

  it('do not count if a branch of the remote already has them', async () => {
    git(world.clone, 'checkout', '-q', '-b', 'other');
    addCopies(world.clone, 'other', 400_000);
    git(world.clone, 'push', '-q', 'origin', 'other');
    const { slot, head } = await world.start();
    commit(slot.path, { 'src/c.txt': 'work\n' });
    git(slot.path, 'fetch', '-q', world.remote, 'other');
    git(slot.path, 'merge', '-q', '-m', 'Merge', 'FETCH_HEAD');
    commit(slot.path, { 'src/d.txt': 'work\n' });
    expect(await collect(slot, head)).toMatchObject({ kind: 'collected' });
  });

  it('never get into the index of git, which needs memory for each file', async () => {
    const { slot, head } = await world.start();
    plantBomb(slot, 30);
    expect(await collect(slot, head)).toMatchObject({ kind: 'too-large' });
    const { size } = statSync(join(world.baseDir, 'trusted/acme/app/worker-1.git/index'));
    expect(size).toBeLessThan(10_000);
  });

  it('are omitted if the next commit removes the files', async () => {
    const { slot, head } = await world.start();
    plantBomb(slot, 30);
    git(slot.path, 'read-tree', 'HEAD~');
    git(slot.path, 'add', '-A');
    git(slot.path, 'commit', '-qm', 'Undo');
    commit(slot.path, { 'src/c.txt': 'work\n' });
    const collected = await collect(slot, head);
    expect(collected).toMatchObject({ files: [{ path: 'src/c.txt' }] });
    if (collected.kind !== 'collected') throw new Error(collected.kind);
    await world.git.publish(world.repo, { ...collected, branch: BRANCH, startSha: head });
    const counts = git(world.remote, 'log', '--format=%T', BRANCH)
      .split('\n')
      .map((tree) => git(world.remote, 'ls-tree', '-r', tree).split('\n').length);
    expect(Math.max(...counts)).toBeLessThan(10);
  });
});
