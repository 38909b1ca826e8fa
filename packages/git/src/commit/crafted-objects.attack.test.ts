import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { createFindSecrets } from '@mergexo/core/text';
import type { Slot } from '../slot/slot.js';
import { PASSWORD } from '../testing/raw-commits.js';
import { commit, git, write } from '../testing/shell.js';
import { makeWorld, TRAILER, type World } from '../testing/world.js';

const findSecrets = createFindSecrets([PASSWORD]);
const GIGABYTE = 1024 ** 3;

describe('objects that the agent crafted', () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld();
  });
  afterEach(() => world.remove());

  const collect = (slot: Slot, startSha: string) =>
    slot.collect({ startSha, message: 'Work', findSecrets, trailer: TRAILER });
  /** Writes a loose object under any name, without git. */
  const forge = (slot: Slot, id: string, { type, content }: { type: string; content: string }): void => {
    const path = join(slot.path, '.git/objects', id.slice(0, 2), id.slice(2));
    mkdirSync(join(path, '..'), { recursive: true });
    rmSync(path, { force: true });
    writeFileSync(path, deflateSync(`${type} ${Buffer.byteLength(content)}\0${content}`));
  };
  const addLink = (slot: Slot, path: string, target: string): void => {
    writeFileSync(join(world.dir, 'target'), target);
    const id = git(slot.path, 'hash-object', '-w', join(world.dir, 'target'));
    git(slot.path, 'update-index', '--add', '--cacheinfo', `120000,${id},${path}`);
    git(slot.path, 'commit', '-qm', 'Add a link');
    // The working directory cannot hold such a link.
    git(slot.path, 'update-index', '--skip-worktree', path);
  };

  it('cannot replace a published commit to hide a commit from the checks', async () => {
    await world.start();
    await world.releaseAll();
    const head = world.pushBranch({ 'conf.txt': 'harmless\n' });
    const { slot } = await world.continueAt(head);
    const published = git(slot.path, 'rev-parse', 'origin/main');
    write(slot.path, { 'conf.txt': `token=${PASSWORD}\n` });
    git(slot.path, 'commit', '-qam', 'Fixes #1');
    const who = 'A <a@b> 4102444800 +0000';
    const parent = git(slot.path, 'rev-parse', 'HEAD');
    const tree = git(slot.path, 'rev-parse', 'origin/main^{tree}');
    const content = `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n\nx\n`;
    forge(slot, published, { type: 'commit', content });
    expect(await collect(slot, head)).toMatchObject({ kind: 'secret' });
  });

  it('cannot replace the earlier version of a file to make a secret look old', async () => {
    await world.start();
    await world.releaseAll();
    const head = world.pushBranch({ 'conf.txt': 'harmless\n' });
    const { slot } = await world.continueAt(head);
    const old = git(slot.path, 'rev-parse', 'HEAD:conf.txt');
    forge(slot, old, { type: 'blob', content: `token=${PASSWORD}\n` });
    write(slot.path, { 'conf.txt': `token=${PASSWORD} \n` });
    expect(await collect(slot, head)).toMatchObject({ kind: 'secret' });
  });

  it('cannot redirect an old link by replacing another link with a directory', async () => {
    const { slot, head } = await world.start();
    const deep = Array(12).fill('n').join('/');
    write(slot.path, { [`${deep}/f`]: 'x' });
    symlinkSync(deep, join(slot.path, 'p'));
    symlinkSync(`p/${'../'.repeat(12)}etc/passwd`, join(slot.path, 'L'));
    git(slot.path, 'add', '-A');
    git(slot.path, 'commit', '-qm', 'Add links');
    unlinkSync(join(slot.path, 'p'));
    write(slot.path, { 'p/f': 'y' });
    git(slot.path, 'add', '-A');
    git(slot.path, 'commit', '-qm', 'Replace a link');
    expect(await collect(slot, head)).toMatchObject({ kind: 'escaping', files: [{ path: 'L' }] });
  });

  it.each([
    ['one long link', 1, 200_000],
    ['a link with a target of many parts', 1, 4_000],
  ])('cannot stall the worker with %s', async (_name, count, length) => {
    const { slot, head } = await world.start();
    for (let i = 0; i < count; i += 1) addLink(slot, `l${i}`, 'a/'.repeat(length / 2));
    const started = process.cpuUsage();
    await collect(slot, head);
    const { user } = process.cpuUsage(started);
    expect(user / 1_000).toBeLessThan(4_000);
  });

  it('cannot name millions of files with a few folders', async () => {
    const { slot, head } = await world.start();
    const blob = git(slot.path, 'rev-parse', 'HEAD:README.md');
    const nest = (entry: string): string => {
      const lines = Array.from({ length: 60 }, (_, index) => `${entry}\tn${index}\n`).join('');
      return execFileSync('git', ['-C', slot.path, 'mktree'], { input: lines, encoding: 'utf8' }).trim();
    };
    const tree = nest(`040000 tree ${nest(`040000 tree ${nest(`100644 blob ${blob}`)}`)}`);
    const bomb = git(slot.path, 'commit-tree', tree, '-p', 'HEAD', '-m', 'Add files');
    git(slot.path, 'update-ref', 'HEAD', bomb);
    expect(await collect(slot, head)).toMatchObject({ kind: 'too-large' });
  });

  it('cannot fill the disk with many copies of one large file', async () => {
    const { slot, head } = await world.start();
    write(slot.path, { big: 'a'.repeat(15 * 1024 * 1024) });
    // Hard links take no additional space in the agent's checkout.
    for (let i = 0; i < 40; i += 1) linkSync(join(slot.path, 'big'), join(slot.path, `copy${i}`));
    git(slot.path, 'add', '-A');
    git(slot.path, 'commit', '-qm', 'Copy a file');
    expect(await collect(slot, head)).toMatchObject({ kind: 'too-large' });
  });

  it.each([
    ['conflict markers and line breaks', `<<<<<<< x\n${'\n'.repeat(24 * 1024 * 1024)}`],
    ['the start of a token', 'sk-'.repeat(8 * 1024 * 1024)],
  ])('cannot stall the worker with a large file of %s', async (_name, text) => {
    const { slot, head } = await world.start();
    write(slot.path, { large: text });
    expect(await collect(slot, head)).toMatchObject({ kind: 'too-large' });
  });

  it('cannot make git use more memory than its limit', async () => {
    const { slot, head } = await world.start();
    const content = Buffer.alloc(16, 'a');
    commit(slot.path, { 'x.txt': 'x' });
    // A loose commit of two gigabytes takes two megabytes on disk.
    const size = 2 * GIGABYTE;
    const id = 'ab'.repeat(20);
    const path = join(slot.path, '.git/objects', id.slice(0, 2));
    mkdirSync(path, { recursive: true });
    const header = Buffer.from(`commit ${size}\0`);
    const chunks = [header, ...Array.from({ length: 64 }, () => Buffer.alloc(1024 * 1024, content))];
    writeFileSync(join(path, id.slice(2)), deflateSync(Buffer.concat(chunks)));
    expect((await collect(slot, head)).kind).toBe('invalid');
  });
});
