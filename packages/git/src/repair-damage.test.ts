import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { commit, git, write } from './testing/shell.js';
import { makeWorld, NEW_BRANCH, TRAILER, type World } from './testing/world.js';

describe('damage by a crash or a person', () => {
  let world: World;
  beforeAll(() => {
    world = makeWorld();
  });
  afterEach(() => world.releaseAll());
  afterAll(() => world.remove());

  const at = (name: string) => join(world.baseDir, name);
  const mirror = () => at('repos/acme/app.git');
  const trusted = () => at('trusted/acme/app/worker-1.git');
  const slotPath = () => at('checkouts/acme/app/worker-1');

  it.each<[string, () => void]>([
    [
      'locks in the mirror',
      () => {
        for (const name of [
          'packed-refs.lock',
          'HEAD.lock',
          'config.lock',
          'refs/heads/main.lock',
          'shallow.lock',
        ])
          write(mirror(), { [name]: '' });
        commit(world.clone, { 'src/later.txt': 'x\n' });
        git(world.clone, 'push', '-q', 'origin', 'main');
      },
    ],
    [
      'locks in the trusted repository',
      () => write(trusted(), { 'index.lock': '', 'HEAD.lock': '', 'config.lock': '' }),
    ],
    [
      'a mirror that was never finished',
      () => {
        rmSync(mirror(), { recursive: true });
        mkdirSync(join(mirror(), 'objects/pack'), { recursive: true });
        write(mirror(), { 'objects/pack/tmp_pack_abc': 'half' });
      },
    ],
    ['a mirror that is gone', () => rmSync(mirror(), { recursive: true })],
    [
      'a mirror that is a file',
      () => {
        rmSync(mirror(), { recursive: true });
        writeFileSync(mirror(), 'x');
      },
    ],
    [
      'a mirror with empty objects',
      () => {
        const objects = readdirSync(join(mirror(), 'objects'), { recursive: true, encoding: 'utf8' });
        const files = objects.filter((name) => /^[0-9a-f]{2}\/[0-9a-f]{38}$|\.pack$/.test(name));
        for (const name of files) {
          chmodSync(join(mirror(), 'objects', name), 0o644);
          truncateSync(join(mirror(), 'objects', name), 0);
        }
      },
    ],
    ['a mirror with an invalid configuration', () => write(mirror(), { config: '[nonsense', HEAD: 'x' })],
    [
      'a mirror of another remote',
      () => write(mirror(), { config: '[core]\n\tbare = true\n[remote "origin"]\n\turl = /nowhere\n' }),
    ],
    ['a trusted repository that is gone', () => rmSync(trusted(), { recursive: true })],
    [
      'a trusted repository that is a link',
      () => {
        rmSync(trusted(), { recursive: true });
        symlinkSync(world.clone, trusted());
      },
    ],
    ['a damaged index', () => writeFileSync(join(trusted(), 'index'), 'DIRC nonsense')],
    ['a slot that is gone', () => rmSync(slotPath(), { recursive: true })],
    [
      'a slot that is a file',
      () => {
        rmSync(slotPath(), { recursive: true });
        writeFileSync(slotPath(), 'x');
      },
    ],
    [
      'a slot that is a link',
      () => {
        rmSync(slotPath(), { recursive: true });
        symlinkSync(world.clone, slotPath());
      },
    ],
    [
      'a detached HEAD and a lock in the slot',
      () => {
        git(slotPath(), 'checkout', '-q', '--detach');
        write(slotPath(), { '.git/index.lock': '' });
      },
    ],
    ['a slot without a repository', () => rmSync(join(slotPath(), '.git'), { recursive: true })],
    [
      'directories without permissions',
      () => {
        write(slotPath(), { 'closed/inner/file.txt': 'x\n' });
        for (const name of ['closed/inner', 'closed', 'src']) chmodSync(join(slotPath(), name), 0o500);
      },
    ],
    [
      'directories and links where files should be',
      () => {
        rmSync(join(slotPath(), 'src/a.txt'));
        mkdirSync(join(slotPath(), 'src/a.txt/deep'), { recursive: true });
        rmSync(join(slotPath(), 'README.md'));
        symlinkSync('/etc/passwd', join(slotPath(), 'README.md'));
      },
    ],
    [
      'a directory that became a link',
      () => {
        rmSync(join(slotPath(), 'src'), { recursive: true });
        symlinkSync(join(world.clone, 'src'), join(slotPath(), 'src'));
      },
    ],
    [
      'an edit that kept size and time',
      () => {
        const path = join(slotPath(), 'src/a.txt');
        git(slotPath(), 'update-index', '--refresh');
        writeFileSync(path, 'ONE\n');
      },
    ],
  ])('is repaired by the next restore: %s', async (_name, spoil) => {
    const { slot } = await world.start();
    spoil();
    const restored = await slot.restore(NEW_BRANCH);
    const head = git(world.clone, 'rev-parse', 'main');
    expect(restored).toEqual({ kind: 'ready', head, baseSha: head });
    expect(git(slot.path, 'status', '--porcelain', '--ignored')).toBe('');
    expect(readFileSync(join(slot.path, 'src/a.txt'), 'utf8')).toBe('one\n');
    expect(readFileSync(join(world.clone, 'src/a.txt'), 'utf8')).toBe('one\n');
    write(slot.path, { 'src/a.txt': 'fixed\n' });
    const collected = await slot.collect({ startSha: head, message: 'x', trailer: TRAILER });
    expect(collected).toMatchObject({
      kind: 'collected',
      files: [{ path: 'src/a.txt', status: 'modified' }],
    });
    expect(git(trusted(), 'fsck', '--full')).not.toMatch(/error|missing|broken/);
  });

  it('does not affect a repository with a similar name', async () => {
    const other = { ...world.repo, name: 'trash-can' };
    await world.git.expandSha(other, '1111111');
    const claims = at('claims/acme/app/mirror');
    const newest = Math.max(...readdirSync(claims).map(Number));
    symlinkSync('1 started-long-ago', join(claims, String(newest + 1)));
    await world.start();
    expect(git(at('repos/acme/trash-can.git'), 'rev-parse', 'main')).toBe(git(mirror(), 'rev-parse', 'main'));
  });

  it('is reported if it prevents leasing a slot', async () => {
    const blocked = makeWorld();
    try {
      write(blocked.baseDir, { claims: 'a file' });
      for (const blockedCall of [blocked.lease(), blocked.git.expandSha(blocked.repo, '1111111')])
        await expect(blockedCall).rejects.toMatchObject({ name: 'Failure', kind: 'unavailable' });
    } finally {
      await blocked.remove();
    }
  });

  it('is repaired by rebuilding a mirror that lacks an object', async () => {
    const { slot } = await world.start();
    const blob = git(mirror(), 'rev-parse', 'main:src/a.txt');
    rmSync(join(mirror(), 'objects', blob.slice(0, 2), blob.slice(2)));
    rmSync(join(slot.path, 'src/a.txt'));
    expect(await slot.restore(NEW_BRANCH)).toMatchObject({ kind: 'ready' });
    expect(readFileSync(join(slot.path, 'src/a.txt'), 'utf8')).toBe('one\n');
  });

  it('does not result from a branch that was replaced by a folder of branches', async () => {
    const { slot } = await world.start();
    git(world.clone, 'push', '-q', 'origin', 'main:refs/heads/topic');
    await slot.restore(NEW_BRANCH);
    git(world.clone, 'push', '-q', 'origin', ':refs/heads/topic');
    git(world.clone, 'push', '-q', 'origin', 'main:refs/heads/topic/deep');
    expect(await slot.restore({ ...NEW_BRANCH, baseBranch: 'topic/deep' })).toMatchObject({ kind: 'ready' });
  });

  it('does not result from unreachable objects, which the mirror keeps because slots borrow them', async () => {
    await world.start();
    const lost = commit(world.clone, { 'src/lost.txt': 'x\n' });
    git(world.clone, 'push', '-q', 'origin', 'main');
    const slot = await world.lease();
    await slot.restore(NEW_BRANCH);
    git(world.clone, 'reset', '-q', '--hard', 'HEAD~1');
    git(world.clone, 'push', '-q', '--force', 'origin', 'main');
    await slot.restore(NEW_BRANCH);
    expect(git(mirror(), 'cat-file', '-t', lost)).toBe('commit');
    expect(git(mirror(), 'for-each-ref', '--contains', lost)).toBe('');
  });

  it('does not result from repacking the mirror, which keeps unreachable objects', async () => {
    const { slot } = await world.start();
    const packs = () => readdirSync(join(mirror(), 'objects/pack')).filter((name) => name.endsWith('.pack'));
    const lost: string[] = [];
    for (let index = 0; index < 55; index += 1) {
      write(world.dir, { loose: `lost ${index}\n` });
      const blob = git(mirror(), 'hash-object', '-w', join(world.dir, 'loose'));
      const input = join(world.dir, 'names');
      writeFileSync(input, `${blob}\n`);
      execFileSync('sh', ['-c', `git -C ${mirror()} pack-objects -q objects/pack/pack < ${input}`]);
      lost.push(blob);
    }
    expect(packs().length).toBeGreaterThan(50);
    await slot.restore(NEW_BRANCH);
    expect(packs().length).toBeLessThan(10);
    expect(lost.filter((blob) => git(mirror(), 'cat-file', '-t', blob) !== 'blob')).toEqual([]);
  });

  it('is repaired even if it consists of 20,000 new files', async () => {
    const { slot } = await world.start();
    for (let folder = 0; folder < 20; folder += 1) {
      mkdirSync(join(slot.path, `many/${folder}`), { recursive: true });
      for (let index = 0; index < 1_000; index += 1)
        writeFileSync(join(slot.path, `many/${folder}/${index}`), '');
    }
    await slot.restore(NEW_BRANCH);
    expect(readdirSync(slot.path).sort()).toEqual(['.git', '.gitignore', 'README.md', 'src']);
  });

  it('is repaired even if directories are nested deeper than the longest allowed path', async () => {
    const { slot } = await world.start();
    const started = process.cwd();
    try {
      process.chdir(slot.path);
      for (let depth = 0; depth < 30; depth += 1) {
        mkdirSync('d'.repeat(200));
        process.chdir('d'.repeat(200));
      }
    } finally {
      process.chdir(started);
    }
    await slot.restore(NEW_BRANCH);
    expect(readdirSync(slot.path).sort()).toEqual(['.git', '.gitignore', 'README.md', 'src']);
  });
});
