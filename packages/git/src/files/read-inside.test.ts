import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { write } from '../testing/shell.js';
import { readInside } from './read-inside.js';
import { writeInside } from './write-inside.js';

describe('files of a slot', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let slot: string;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    slot = join(directory.path, 'slot');
    write(directory.path, { 'slot/docs/a.md': 'text\n', 'secret.txt': 'secret\n' });
    symlinkSync(join(directory.path, 'secret.txt'), join(slot, 'link.md'));
    symlinkSync(directory.path, join(slot, 'outside'));
    mkdirSync(join(slot, 'folder'));
    execFileSync('mkfifo', [join(slot, 'pipe')]);
  });
  afterEach(() => directory.remove());

  it('are read if they are regular', async () => {
    expect(await readInside(slot, 'docs/a.md', 100)).toEqual({
      kind: 'read',
      content: Buffer.from('text\n'),
    });
  });

  it.each(['none.md', 'docs/none/x.md', 'docs/a.md/x'])(
    'are reported as missing if they do not exist: %s',
    async (path) => {
      expect((await readInside(slot, path, 100)).kind).not.toBe('read');
    },
  );

  it.each([
    'link.md',
    'outside/secret.txt',
    '../secret.txt',
    'docs/../../secret.txt',
    '/etc/passwd',
    './docs/a.md',
    'docs//a.md',
    'folder',
    'pipe',
    '',
    'a\0b',
  ])('are refused if they are outside the slot or not regular: %j', async (path) => {
    expect(await readInside(slot, path, 100)).toMatchObject({ kind: 'refused' });
  });

  it('are refused if the slot itself is a link', async () => {
    symlinkSync(slot, join(directory.path, 'linked'));
    expect(await readInside(join(directory.path, 'linked'), 'docs/a.md', 100)).toMatchObject({
      kind: 'refused',
    });
  });

  it('are not read if they are too large', async () => {
    expect(await readInside(slot, 'docs/a.md', 4)).toEqual({ kind: 'too-large', bytes: 5 });
  });

  it('are written with their folders, and replace links instead of following them', async () => {
    expect(await writeInside(slot, 'docs/design/7-x.md', '# x\n')).toEqual({ kind: 'written' });
    expect(await writeInside(slot, 'link.md', 'mine\n')).toEqual({ kind: 'written' });
    expect(readFileSync(join(slot, 'docs/design/7-x.md'), 'utf8')).toBe('# x\n');
    expect(readFileSync(join(slot, 'link.md'), 'utf8')).toBe('mine\n');
    expect(readFileSync(join(directory.path, 'secret.txt'), 'utf8')).toBe('secret\n');
  });

  it.each([
    'outside/new.txt',
    '../new.txt',
    '/tmp/new.txt',
    'docs/a.md/x',
    'folder',
    '.git/config',
    'x/.GIT/y',
    '',
  ])('are not written to %j', async (path) => {
    expect(await writeInside(slot, path, 'x')).toMatchObject({ kind: 'refused' });
    expect(existsSync(join(directory.path, 'new.txt'))).toBe(false);
    rmSync(join(slot, 'x'), { recursive: true, force: true });
  });
});
