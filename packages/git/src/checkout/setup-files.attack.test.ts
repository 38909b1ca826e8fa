import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Slot } from '../slot/slot.js';
import { git, write } from '../testing/shell.js';
import { makeWorld, TRAILER, type World, type WorldOptions } from '../testing/world.js';

const PROGRAM = { path: 'setup.sh', content: Buffer.from('#!/bin/sh\n') };
const MADE = { 'node_modules/dep/index.txt': 'x\n', 'src/.env': 'TOKEN=1\n', 'src/gen/x.txt': 'x\n' };

describe('files that setup creates', () => {
  let world: World;
  afterEach(() => world.remove());

  const collect = async (slot: Slot, startSha: string) => {
    const collected = await slot.collect({ startSha, message: 'Fix', trailer: TRAILER });
    return collected.kind === 'collected' ? collected.files.map(({ path }) => path) : collected;
  };
  /** Runs setup, which creates these files. */
  const setUp = async (made: Record<string, string>, options: WorldOptions = {}) => {
    world = makeWorld(options);
    const { slot, head } = await world.start();
    await slot.setUp({ sha: head, program: PROGRAM }, async () => write(slot.path, made));
    return { slot, head };
  };

  it.each<[string, Record<string, string>, WorldOptions]>([
    ['setup', { ...MADE, 'src/.gitignore': '!*\n' }, {}],
    [
      'the base branch',
      MADE,
      { files: { '.gitignore': '*\n!*/\n!.gitignore\n!.env\n!*.txt\n', 'src/a.txt': 'one\n' } },
    ],
  ])('are not committed if a .gitignore of %s includes them', async (_name, made, options) => {
    const { slot, head } = await setUp(made, options);
    expect(await collect(slot, head)).toEqual({ kind: 'empty' });
    write(slot.path, { 'src/c.txt': 'work\n' });
    expect(await slot.listFiles()).not.toContain('src/.env');
    expect(await collect(slot, head)).toEqual(['src/c.txt']);
  });

  it('are not committed if a .gitignore of the agent includes them', async () => {
    const { slot, head } = await setUp(MADE);
    write(slot.path, {
      '.gitignore': '!node_modules\n!.env\n',
      'src/c.txt': 'work\n',
      'node_modules/other/x': '',
    });
    expect(await collect(slot, head)).toEqual(['.gitignore', 'src/c.txt']);
    expect(existsSync(join(slot.path, 'src/.env'))).toBe(true);
  });

  it("do not hide the agent's own new files", async () => {
    const { slot, head } = await setUp({ 'src/.gitignore': '*\n', '.venv/.gitignore': '*\n' });
    write(slot.path, { 'src/new.txt': 'work\n' });
    expect(await collect(slot, head)).toEqual(['src/new.txt']);
    expect(existsSync(join(slot.path, '.venv/.gitignore'))).toBe(true);
  });

  it('are forgotten when the next turn starts', async () => {
    const { slot } = await setUp(MADE);
    await slot.release();
    const next = await world.start();
    write(next.slot.path, { 'src/.env': 'EXAMPLE=\n' });
    expect(await collect(next.slot, next.head)).toEqual(['src/.env']);
  });

  it('cannot replace a file by nesting repositories', async () => {
    const { slot, head } = await setUp({});
    let path = join(slot.path, 'n');
    for (let level = 0; level < 22; level += 1, path = join(path, 'n')) {
      mkdirSync(path, { recursive: true });
      execFileSync('git', ['init', '-q', path], { env: { PATH: process.env['PATH'], HOME: '/nonexistent' } });
      writeFileSync(join(path, 'f'), 'x');
      git(path, 'add', 'f');
      git(path, 'commit', '-qm', 'x');
    }
    expect(await collect(slot, head)).toMatchObject({
      kind: 'invalid',
      reason: expect.stringContaining('20 others'),
    });
  });
});
