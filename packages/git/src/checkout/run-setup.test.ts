import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { git, write } from '../testing/shell.js';
import { makeWorld, TRAILER, type World } from '../testing/world.js';
import { toPattern } from './exclude-created.js';

const PROGRAM = { path: 'scripts/setup.sh', content: Buffer.from('#!/bin/sh\necho base\n') };

describe('setup in a slot', () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld();
  });
  afterEach(() => world.remove());

  const collect = async (slot: Awaited<ReturnType<World['start']>>['slot'], startSha: string) => {
    const collected = await slot.collect({ startSha, message: 'Fix', trailer: TRAILER });
    return collected.kind === 'collected' ? collected.files.map(({ path }) => path) : collected.kind;
  };

  it('creates nothing that is committed, even if no .gitignore lists it', async () => {
    const { slot, head } = await world.start();
    const made = {
      'node_modules/dep/index.js': 'x\n',
      'src/generated [1] !#*.txt': 'x\n',
      'src/two\nlines.txt': 'x\n',
      'ignored/cache': 'x\n',
    };
    const ran = await slot.setUp({ sha: head, program: PROGRAM }, async () => {
      write(slot.path, { ...made, 'src/a.txt': 'changed by setup\n', '.gitignore': '' });
      await rm(join(slot.path, 'src/b.txt'));
      return 'done';
    });
    expect(ran).toEqual({ kind: 'ran', result: 'done' });
    for (const path of Object.keys(made)) expect(existsSync(join(slot.path, path))).toBe(true);
    expect(readFileSync(join(slot.path, 'src/a.txt'), 'utf8')).toBe('one\n');
    expect(git(slot.path, 'status', '--porcelain')).toBe('');
    expect(await collect(slot, head)).toBe('empty');
    // A package that the agent installs lands in a folder that setup created.
    write(slot.path, { 'node_modules/other/index.js': 'x\n', 'src/c.txt': 'work\n', '.gitignore': '' });
    expect(await slot.listFiles()).not.toContain('node_modules/dep/index.js');
    expect(await collect(slot, head)).toEqual(['.gitignore', 'src/c.txt']);
  });

  it('does not affect the next task in the slot', async () => {
    const { slot, head } = await world.start();
    await slot.setUp({ sha: head, program: PROGRAM }, async () => write(slot.path, { 'made/x': 'x\n' }));
    await slot.release();
    const next = await world.start();
    expect(existsSync(join(next.slot.path, 'made'))).toBe(false);
    write(next.slot.path, { 'made/y': 'y\n' });
    expect(await collect(next.slot, next.head)).toEqual(['made/y']);
  });

  it('runs the given program, and removes it if the commit does not contain it', async () => {
    const { slot, head } = await world.start();
    const path = join(slot.path, PROGRAM.path);
    const ran = await slot.setUp({ sha: head, program: PROGRAM }, async () => readFileSync(path, 'utf8'));
    expect(ran).toEqual({ kind: 'ran', result: '#!/bin/sh\necho base\n' });
    expect(existsSync(path)).toBe(false);
    write(slot.path, { [PROGRAM.path]: "the agent's own\n" });
    expect(await collect(slot, head)).toEqual([PROGRAM.path]);
  });

  it('replaces another version of the program only while it runs', async () => {
    const { slot, head } = await world.start();
    const program = { path: 'src/a.txt', content: Buffer.from('base\n') };
    const path = join(slot.path, 'src/a.txt');
    const ran = await slot.setUp({ sha: head, program }, async () => readFileSync(path, 'utf8'));
    expect(ran).toEqual({ kind: 'ran', result: 'base\n' });
    expect(readFileSync(path, 'utf8')).toBe('one\n');
  });

  it('never writes or removes anything through a link', async () => {
    const { slot, head } = await world.start();
    const outside = join(world.dir, 'outside');
    write(outside, { 'setup.sh': 'precious\n', exclude: 'precious\n' });
    await symlink(outside, join(slot.path, 'scripts'));
    const refused = await slot.setUp({ sha: head, program: PROGRAM }, async () => 'ran');
    expect(refused).toEqual({
      kind: 'refused',
      reason: 'scripts/setup.sh: a link or file is in the way',
    });
    await rm(join(slot.path, 'scripts'));
    await slot.setUp({ sha: head, program: PROGRAM }, async () => {
      await rm(join(slot.path, 'scripts'), { recursive: true });
      symlinkSync(outside, join(slot.path, 'scripts'));
      await rm(join(slot.path, '.git/info'), { recursive: true });
      symlinkSync(outside, join(slot.path, '.git/info'));
    });
    expect(readFileSync(join(outside, 'setup.sh'), 'utf8')).toBe('precious\n');
    expect(readFileSync(join(outside, 'exclude'), 'utf8')).toBe('precious\n');
  });

  it('refuses setup that commits or switches branches', async () => {
    const { slot, head } = await world.start();
    const ran = await slot.setUp({ sha: head, program: PROGRAM }, async () => {
      git(slot.path, 'commit', '-q', '--allow-empty', '-m', 'mine');
    });
    expect(ran).toMatchObject({ kind: 'refused', reason: expect.stringContaining(`HEAD from ${head} to`) });
  });

  it('refuses setup that scatters thousands of files', async () => {
    const { slot, head } = await world.start();
    const ran = await slot.setUp({ sha: head, program: PROGRAM }, async () => {
      const files = Array.from({ length: 10_001 }, (_, index) => [`src/${index}`, ''] as const);
      write(slot.path, Object.fromEntries(files));
    });
    expect(ran).toMatchObject({ kind: 'refused', reason: expect.stringContaining('10,000 files') });
  });

  it('writes patterns that match exactly one path', () => {
    expect(toPattern('a/[b]*?!# \\')).toBe('/a/\\[b\\]\\*\\?\\!\\#\\ \\\\');
    expect(toPattern('node_modules/')).toBe('/node_modules');
    expect(toPattern('a\nb\r')).toBe('/a?b?');
  });
});

describe('composeTree', () => {
  it('puts only the named files of a commit on the base', async () => {
    const world = makeWorld();
    const { slot, head } = await world.start();
    write(slot.path, { 'src/a.txt': 'fixed\n', 'tests/a.test': 'new test\n', 'tests/b.test': 'other\n' });
    const collected = await slot.collect({ startSha: head, message: 'Fix', trailer: TRAILER });
    if (collected.kind !== 'collected') throw new Error(collected.kind);
    const paths = new Set(['tests/a.test', 'missing']);
    await slot.prepareTests(await slot.composeTree({ base: head, from: collected.sha, paths }));
    expect(readFileSync(join(slot.path, 'src/a.txt'), 'utf8')).toBe('one\n');
    expect(readFileSync(join(slot.path, 'tests/a.test'), 'utf8')).toBe('new test\n');
    expect(existsSync(join(slot.path, 'tests/b.test'))).toBe(false);
    await slot.prepareTests(collected.sha);
    expect(readFileSync(join(slot.path, 'src/a.txt'), 'utf8')).toBe('fixed\n');
    await world.remove();
  });
});
