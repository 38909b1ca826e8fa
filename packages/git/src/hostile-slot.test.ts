import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { startTwin, type Twin } from '@mergexo/github-twin';
import type { Published } from './publish/publish.js';
import { git, write } from './testing/shell.js';
import { VECTORS } from './testing/vectors.js';
import { BRANCH, makeWorld, NEW_BRANCH, TRAILER, type World } from './testing/world.js';

const SEED = {
  users: [{ login: 'acme' }, { login: 'robot[bot]' }],
  repos: [{ name: 'acme/app', permissions: { 'robot[bot]': 'write' as const }, files: { 'a.txt': 'one\n' } }],
};

/** Sets all traps at once and runs a whole turn. Each trap has its own marker. */
describe('a hostile slot', () => {
  let twin: Twin;
  let world: World;
  let traps: string;
  let decoy: string;
  let published: Published;
  let head: string;

  beforeAll(async () => {
    twin = await startTwin({ seed: SEED });
    const credential = async () => twin.tokens['robot[bot]'];
    world = makeWorld({ remoteUrl: twin.gitUrl('acme', 'app'), credential });
    traps = join(world.dir, 'traps');
    mkdirSync(traps);
    decoy = join(world.dir, 'decoy.git');
    git(world.dir, 'init', '-q', '--bare', decoy);
    await addSubmodule();
    const { slot, head: start } = await world.start();
    for (const setVector of Object.values(VECTORS)) setVector(slot.path, setTrap);
    redirect(slot.path);
    write(slot.path, { 'a.txt': 'changed\n' });
    const collected = await slot.collect({ startSha: start, message: 'Work', trailer: TRAILER });
    if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
    head = collected.sha;
    await slot.prepareTests(head);
    await slot.listFiles();
    const { bundle } = collected;
    published = await world.git.publish(world.repo, { branch: BRANCH, startSha: start, sha: head, bundle });
    await slot.restore({ ...NEW_BRANCH, startSha: head });
    for (const setVector of Object.values(VECTORS)) setVector(slot.path, setTrap);
    redirect(slot.path);
    await slot.restore(NEW_BRANCH);
    await slot.release();
  });
  afterAll(async () => {
    await world.remove();
    await twin.stop();
  });

  /** Adds a submodule to the base branch. Git would enter another repository at the submodule's path in the slot. */
  async function addSubmodule(): Promise<void> {
    const bare = twin.repoDir('acme/app');
    const tree = join(world.dir, 'tree');
    mkdirSync(tree);
    git(tree, 'clone', '-q', bare, 'work');
    const work = join(tree, 'work');
    git(work, 'update-index', '--add', '--cacheinfo', `160000,${'12'.repeat(20)},vendored`);
    git(work, 'commit', '-q', '-m', 'Add a submodule');
    git(work, 'push', '-q', 'origin', 'HEAD:main');
  }

  function setTrap(name: string): string {
    const path = join(traps, `${slug(name)}.sh`);
    writeFileSync(path, `#!/bin/sh\ntouch ${join(traps, `${slug(name)}.marker`)}\ncat\n`);
    chmodSync(path, 0o755);
    return path;
  }

  function redirect(slot: string): void {
    const real = twin.gitUrl('acme', 'app');
    const settings = [
      [`url.${decoy}.insteadOf`, real],
      [`url.${decoy}.pushInsteadOf`, real],
      ['remote.origin.url', decoy],
      ['remote.origin.pushurl', decoy],
      ['http.proxy', 'http://127.0.0.1:1'],
    ];
    for (const [key = '', value = ''] of settings)
      git(slot, 'config', '--file', join(slot, '.git/config'), key, value);
  }

  const slug = (name: string): string => name.replace(/[^a-z]+/g, '-');

  it.each(Object.keys(VECTORS))('does not run the trap: %s', (name) => {
    expect(existsSync(join(traps, `${slug(name)}.marker`))).toBe(false);
  });

  it('runs no program at all', () => {
    expect(readdirSync(traps).filter((name) => name.endsWith('.marker'))).toEqual([]);
  });

  it('pushes only to the real remote', () => {
    expect(published).toEqual({ kind: 'pushed' });
    expect(git(twin.repoDir('acme/app'), 'rev-parse', BRANCH)).toBe(head);
    expect(git(decoy, 'for-each-ref')).toBe('');
  });

  it('commits the files and no dangling submodule reference', () => {
    const names = git(twin.repoDir('acme/app'), 'ls-tree', '-r', '--name-only', head).split('\n');
    expect(names).toContain('nested/file.txt');
    const modes = git(twin.repoDir('acme/app'), 'ls-tree', '-r', head).split('\n');
    expect(modes.filter((line) => line.startsWith('160000'))).toHaveLength(1);
  });
});

describe('the traps', () => {
  it.each([
    ['hook post-checkout', ['checkout', '-q', '-b', 'other']],
    ['hook pre-commit', ['commit', '-q', '-m', 'x']],
    ['fsmonitor', ['status']],
    ['filter: clean and smudge', ['add', '-A']],
  ])('do run in the slot’s own repository: %s', async (name, args) => {
    const world = makeWorld();
    try {
      const { slot } = await world.start();
      const marker = join(world.dir, 'marker');
      const trap = join(world.dir, 'trap.sh');
      writeFileSync(trap, `#!/bin/sh\ntouch ${marker}\ncat\n`);
      chmodSync(trap, 0o755);
      VECTORS['attributes']?.(slot.path, () => trap);
      write(slot.path, { 'a.txt': 'x\n' });
      if (name.startsWith('hook')) git(slot.path, 'add', '-A');
      VECTORS[name]?.(slot.path, () => trap);
      expect(existsSync(marker)).toBe(false);
      try {
        git(slot.path, ...args);
      } catch {
        // Git may reject the trap's output, but it did run the trap.
      }
      expect(existsSync(marker)).toBe(true);
    } finally {
      await world.remove();
    }
  });
});

describe('hostile files in the remote itself', () => {
  it('are checked out as data', async () => {
    const world = makeWorld();
    try {
      const marker = join(world.dir, 'marker');
      write(world.clone, {
        '.gitattributes': '* filter=trap diff=trap working-tree-encoding=UTF-16\n',
        '.gitmodules': `[submodule "m"]\n\tpath = m\n\turl = "ext::sh -c 'touch ${marker}'"\n\tupdate = none\n`,
        '.lfsconfig': `[lfs]\n\turl = ext::${marker}\n`,
        '.git/info/attributes': '* !filter !working-tree-encoding\n',
        'bare/HEAD': 'ref: refs/heads/main\n',
        'bare/config': `[core]\n\tbare = true\n\tfsmonitor = touch ${marker}\n`,
        'bare/objects/x': 'x\n',
        'bare/refs/x': 'x\n',
      });
      symlinkSync(world.dir, join(world.clone, 'outside'));
      git(world.clone, 'update-index', '--add', '--cacheinfo', `160000,${'12'.repeat(20)},m`);
      git(world.clone, 'add', '-A');
      git(world.clone, 'update-index', '--add', '--cacheinfo', `160000,${'12'.repeat(20)},m`);
      git(world.clone, 'commit', '-q', '-m', 'Hostile');
      git(world.clone, 'push', '-q', 'origin', 'main');
      const { slot, head } = await world.start();
      expect(readFileSync(join(slot.path, 'src/a.txt'), 'utf8')).toBe('one\n');
      expect(readdirSync(join(slot.path, 'm'))).toEqual([]);
      expect(await slot.writeFile('outside/x.txt', 'x')).toMatchObject({ kind: 'refused' });
      write(slot.path, { 'm/planted.txt': 'left by a task\n', 'src/a.txt': 'edited\n' });
      const collected = await slot.collect({ startSha: head, message: 'x', trailer: TRAILER });
      expect(collected).toMatchObject({
        kind: 'collected',
        files: [{ path: 'src/a.txt', status: 'modified' }],
      });
      await slot.restore(NEW_BRANCH);
      expect(readdirSync(join(slot.path, 'm'))).toEqual([]);
      expect(existsSync(marker)).toBe(false);
    } finally {
      await world.remove();
    }
  });
});
