import { measureGrowth } from '@mergexo/testkit';
import fc from 'fast-check';
import { readHunks, readPatch } from './read-hunks.js';

const show = (diff: string) =>
  Object.fromEntries([...readHunks(diff)].map(([path, lines]) => [path, Object.fromEntries(lines)]));

/** Builds the diff of one file in the format of `git diff`. */
const file = (name: string, hunks: readonly string[], header: readonly string[] = []) =>
  [`diff --git a/${name} b/${name}`, ...header, `--- a/${name}`, `+++ b/${name}`, ...hunks, ''].join('\n');

describe('readHunks', () => {
  it('lists added and unchanged lines by their numbers in the new file', () => {
    const diff = file('src/x.ts', [
      '@@ -1,3 +1,4 @@',
      ' a',
      '-b',
      '+B',
      ' c',
      '+d',
      '@@ -20 +21,0 @@ in f()',
      '-z',
    ]);
    expect(show(diff)).toEqual({ 'src/x.ts': { 1: 'a', 2: 'B', 3: 'c', 4: 'd' } });
  });

  it.each([
    ['a space', '+++ b/dir with/a b.txt\t', 'dir with/a b.txt'],
    ['a tab', '+++ "b/tab\\there.txt"', 'tab\there.txt'],
    ['quotes and backslashes', '+++ "b/quo\\"te\\\\back.txt"', 'quo"te\\back.txt'],
    ['escaped bytes of UTF-8', '+++ "b/\\303\\274n\\303\\257.txt"', 'ünï.txt'],
    ['unescaped UTF-8', '+++ b/ünï.txt', 'ünï.txt'],
    ['the text of a diff header', '+++ b/+++ b/x', '+++ b/x'],
    ['the name of an object property', '+++ b/__proto__', '__proto__'],
    ['parent directories', '+++ b/../x', '../x'],
  ])('reads a name with %s', (_what, header, path) => {
    const diff = ['diff --git x y', '--- a/x', header, '@@ -0,0 +1 @@', '+new', ''].join('\n');
    expect([...readHunks(diff)]).toEqual([[path, new Map([[1, 'new']])]]);
  });

  it.each([
    ['a deleted file', 'deleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n'],
    ['a binary file', 'index 88768ef..3e3315e 100644\nBinary files a/x and b/x differ\n'],
    ['a renamed but unchanged file', 'similarity index 100%\nrename from x\nrename to y\n'],
    ['an empty file', 'new file mode 100644\nindex 0000000..e69de29\n'],
    ['a file without a known prefix', '--- x\n+++ x\n@@ -0,0 +1 @@\n+new\n'],
  ])('lists no lines of %s', (_what, rest) => {
    expect(show(`diff --git a/x b/x\n${rest}`)).toEqual({});
  });

  it('lists a renamed file under its new name', () => {
    const diff =
      'diff --git a/old b/new\nsimilarity index 90%\nrename from old\nrename to new\n--- a/old\n+++ b/new\n@@ -7 +7 @@\n-a\n+b\n';
    expect(show(diff)).toEqual({ new: { 7: 'b' } });
  });

  it('counts lines by the hunk header, so that code may look like a diff', () => {
    const hunk = [
      '@@ -1,3 +1,4 @@',
      '--- a/x',
      '-++ b/y',
      ' keep',
      '+++ b/z',
      '+@@ -9 +9 @@',
      '+diff --git a/q b/q',
    ];
    expect(show(file('tricky.txt', hunk))).toEqual({
      'tricky.txt': { 1: 'keep', 2: '++ b/z', 3: '@@ -9 +9 @@', 4: 'diff --git a/q b/q' },
    });
  });

  it('does not count the note about a missing newline', () => {
    const note = '\\ No newline at end of file';
    expect(show(file('x', ['@@ -1 +1,2 @@', '-a', note, '+a', '+b', note]))).toEqual({
      x: { 1: 'a', 2: 'b' },
    });
  });

  it('joins the two parts of a file that changed its type', () => {
    const diff = `diff --git a/t b/t\n--- a/t\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n${file('t', ['@@ -0,0 +1 @@', '+file'])}`;
    expect(show(diff)).toEqual({ t: { 1: 'file' } });
  });

  it('does not mix up files after a wrong header', () => {
    const diff = `${file('a', ['@@ -1,999999999 +1,999999999 @@', '+one'])}${file('b', ['@@ -0,0 +1 @@', '+two'])}`;
    expect(show(diff)).toEqual({ a: { 1: 'one' }, b: { 1: 'two' } });
  });

  it('stops at the last whole line that GitHub shows', () => {
    const many = file('many', ['@@ -0,0 +1,30000 @@', ...Array.from({ length: 30_000 }, (_, i) => `+${i}`)]);
    expect(readHunks(many).get('many')?.size).toBeLessThan(20_000);
    const long = file('long', ['@@ -0,0 +1,2 @@', '+first', `+${'x'.repeat(2_000_000)}`]);
    expect(show(long)).toEqual({ long: { 1: 'first' } });
  });

  it('takes linear time for many hunks', () => {
    const read = (count: number): void => {
      const hunks = Array.from({ length: count }, (_, i) => [`@@ -${i + 1},0 +${i + 1} @@`, '+x']).flat();
      expect(readHunks(file('x', hunks)).get('x')?.size).toBe(count);
    };
    expect(measureGrowth(read, { from: 600, to: 9_600 })).toBeLessThan(1.6);
  });

  it('finds exactly the lines of a hunk, whatever their text', () => {
    const content = fc.oneof(
      fc.string({ maxLength: 20 }).map((text) => text.replace(/\n/g, ' ')),
      fc.constantFrom('-- a/x', '++ b/x', '@@ -1 +1 @@', 'diff --git a/x b/x', '', '\\ No newline'),
    );
    const rows = fc.array(fc.tuple(fc.constantFrom('+', '-', ' '), content), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 1_000_000 }), (lines, start) => {
        const fresh = lines.filter(([mark]) => mark !== '-').map(([, text]) => text);
        const old = lines.length - lines.filter(([mark]) => mark === '+').length;
        const hunk = [`@@ -1,${old} +${start},${fresh.length} @@`, ...lines.map((line) => line.join(''))];
        const expected = new Map(fresh.map((text, index) => [start + index, text]));
        const diff = `${file('before', ['@@ -0,0 +1 @@', '+b'])}${file('x', hunk)}${file('after', ['@@ -0,0 +1 @@', '+a'])}`;
        expect(readHunks(diff).get('x') ?? new Map()).toEqual(expected);
        expect(readHunks(diff).get('after')).toEqual(new Map([[1, 'a']]));
        expect(readPatch(hunk.join('\n'))).toEqual(expected);
      }),
    );
  });

  it('never throws for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(readHunks(text)).toBeInstanceOf(Map);
        expect(readPatch(`@@ -1,9 +1,9 @@\n${text}`)).toBeInstanceOf(Map);
      }),
    );
  });
});
