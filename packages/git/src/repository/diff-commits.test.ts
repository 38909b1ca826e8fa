import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { readHunks } from '@mergexo/core/review';
import { git, write } from '../testing/shell.js';
import { makeWorld, type World } from '../testing/world.js';

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1} of the file\n`);

describe('the diff of a branch', () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld({ files: { 'README.md': '# app\n', 'src/long.txt': LINES.join('') } });
  });
  afterEach(() => world.remove());

  async function diff(files: Record<string, string>, { maxBytes = 100_000, edit = () => {} } = {}) {
    edit();
    const head = world.pushBranch(files);
    const { slot, baseSha } = await world.continueAt(head);
    const ask = (bytes: number) => slot.diff({ base: baseSha, head, maxBytes: bytes });
    return { slot, head, ask, found: await ask(maxBytes) };
  }

  const shownLines = (text: string) =>
    [...readHunks(text)].map(([path, lines]) => [path, [...lines.keys()]] as const);

  it('shows the branch’s changes since it diverged, and none of the base’s', async () => {
    const { found } = await diff({ 'new.txt': 'one\ntwo\n' });
    expect(found).toContain('--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n');
    expect(shownLines(found)).toEqual([['new.txt', [1, 2]]]);
  });

  it('shows only the changed lines of a moved file', async () => {
    const changed = LINES.with(9, 'changed\n').join('');
    const edit = () =>
      renameSync(join(world.clone, 'src/long.txt'), join(world.clone, 'src/moved file ü.txt'));
    const { found } = await diff({ 'src/moved file ü.txt': changed }, { edit });
    expect(found).toContain('rename to src/moved file ü.txt');
    expect(shownLines(found)).toEqual([['src/moved file ü.txt', [7, 8, 9, 10, 11, 12, 13]]]);
  });

  it('ends at the last line that fits', async () => {
    const { ask, found } = await diff({ 'new.txt': 'one\ntwo\n' });
    const size = Buffer.byteLength(found);
    expect(await ask(size)).toEqual(found);
    expect(await ask(size - 1)).toBe(found.replace('+two\n', ''));
    expect(await ask(0)).toBe('');
  });

  it('is read only up to the limit', async () => {
    await world.remove();
    world = makeWorld({ limits: { outputBytes: 2_000_000 } });
    const { found } = await diff({ 'huge.txt': 'a line of text\n'.repeat(600_000) }, { maxBytes: 1_000 });
    expect(Buffer.byteLength(found)).toBeGreaterThan(900);
    expect(Buffer.byteLength(found)).toBeLessThanOrEqual(1_000);
  });

  it('ignores uncommitted files and the git config in the slot', async () => {
    const { slot, ask, found } = await diff({
      '.gitattributes': '*.txt diff=evil\n',
      'new.txt': 'one\n',
    });
    write(slot.path, { 'new.txt': 'other\n', '.gitattributes': '*.txt -diff\n' });
    git(slot.path, 'config', 'diff.evil.textconv', 'echo evil #');
    git(slot.path, 'config', 'diff.external', 'echo evil #');
    expect(await ask(100_000)).toEqual(found);
    expect(found).toContain('+one');
  });

  it('fails if the base is not a commit', async () => {
    const { slot, head } = await diff({ 'new.txt': 'one\n' });
    const missing = slot.diff({ base: '1'.repeat(40), head, maxBytes: 10 });
    await expect(missing).rejects.toMatchObject({ name: 'Failure' });
    await expect(slot.diff({ base: '--output=x', head, maxBytes: 10 })).rejects.toThrow();
  });
});
