import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { readHunks } from '@mergexo/core';
import { commit, git, write } from '../testing/shell.js';
import { BRANCH, makeWorld, NEW_BRANCH, type World } from '../testing/world.js';

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1} of the file\n`);

describe('the diff of a branch', () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld({ files: { 'README.md': '# app\n', 'src/long.txt': LINES.join('') } });
  });
  afterEach(() => world.remove());

  /** One commit on a branch, while the base branch goes on without it. */
  async function diff(files: Record<string, string>, { maxBytes = 100_000, edit = () => {} } = {}) {
    git(world.clone, 'checkout', '-q', '-b', BRANCH);
    edit();
    const head = commit(world.clone, files);
    git(world.clone, 'push', '-q', 'origin', BRANCH);
    git(world.clone, 'checkout', '-q', 'main');
    commit(world.clone, { 'README.md': 'moved on\n' });
    git(world.clone, 'push', '-q', 'origin', 'main');
    const slot = await world.lease();
    const restored = await slot.restore({ ...NEW_BRANCH, startSha: head });
    if (restored.kind !== 'ready') throw new Error(restored.kind);
    const ask = (bytes: number) => slot.diff({ base: restored.baseSha, head, maxBytes: bytes });
    return { slot, restored, ask, found: await ask(maxBytes) };
  }

  const shownLines = (text: string) =>
    [...readHunks(text)].map(([path, lines]) => [path, [...lines.keys()]] as const);

  it('shows what the branch changed since it left, and nothing that the base did', async () => {
    const { found } = await diff({ 'new.txt': 'one\ntwo\n' });
    expect(found.isCut).toBe(false);
    expect(found.text).toContain('--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n');
    expect(shownLines(found.text)).toEqual([['new.txt', [1, 2]]]);
  });

  it('shows of a moved file only what changed in it', async () => {
    const changed = LINES.with(9, 'changed\n').join('');
    const edit = () =>
      renameSync(join(world.clone, 'src/long.txt'), join(world.clone, 'src/moved file ü.txt'));
    const { found } = await diff({ 'src/moved file ü.txt': changed }, { edit });
    expect(found.text).toContain('rename to src/moved file ü.txt');
    expect(shownLines(found.text)).toEqual([['src/moved file ü.txt', [7, 8, 9, 10, 11, 12, 13]]]);
  });

  it('ends at the last line that fits, and says so', async () => {
    const { ask, found } = await diff({ 'new.txt': 'one\ntwo\n' });
    const size = Buffer.byteLength(found.text);
    expect(await ask(size)).toEqual(found);
    expect(await ask(size - 1)).toEqual({ text: found.text.replace('+two\n', ''), isCut: true });
    expect(await ask(0)).toEqual({ text: '', isCut: true });
  });

  it('does not wait for the end of what is far too long', async () => {
    await world.remove();
    world = makeWorld({ limits: { outputBytes: 2_000_000 } });
    const { found } = await diff({ 'huge.txt': 'a line of text\n'.repeat(600_000) }, { maxBytes: 1_000 });
    expect(found.isCut).toBe(true);
    expect(Buffer.byteLength(found.text)).toBeLessThanOrEqual(1_000);
  });

  it('believes nothing that lies in the slot', async () => {
    const { slot, ask, found } = await diff({
      '.gitattributes': '*.txt diff=evil\n',
      'new.txt': 'one\n',
    });
    write(slot.path, { 'new.txt': 'other\n', '.gitattributes': '*.txt -diff\n' });
    git(slot.path, 'config', 'diff.evil.textconv', 'echo evil #');
    git(slot.path, 'config', 'diff.external', 'echo evil #');
    expect(await ask(100_000)).toEqual(found);
    expect(found.text).toContain('+one');
  });

  it('is refused for what is no commit', async () => {
    const { slot, restored } = await diff({ 'new.txt': 'one\n' });
    const missing = slot.diff({ base: '1'.repeat(40), head: restored.head, maxBytes: 10 });
    await expect(missing).rejects.toMatchObject({ name: 'Failure' });
    await expect(slot.diff({ base: '--output=x', head: restored.head, maxBytes: 10 })).rejects.toThrow();
  });
});
