import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commit, git, write } from '../testing/shell.js';
import { makeWorld, TRAILER } from '../testing/world.js';
import { listUnmerged } from './list-unmerged.js';

const DEEP = `${'d'.repeat(200)}/`.repeat(3);

describe('listUnmerged', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(realpathSync(tmpdir()), 'mx-'));
    git(dir, 'init', '-q');
    const files = ['a.txt', 'b é.txt', `${DEEP}c.txt`, `${DEEP}cc.txt`, 'z'.repeat(130), 'zz.txt'];
    commit(dir, Object.fromEntries(files.map((name) => [name, 'x'])));
    const id = git(dir, 'rev-parse', 'HEAD:a.txt');
    const entry = (stage: number, path: string) => `100644 ${id} ${stage}\t${path}\n`;
    const input = [entry(1, 'a.txt'), entry(2, 'a.txt'), entry(3, `${DEEP}cc.txt`), entry(1, 'zz.txt')];
    const zero = ['a.txt', `${DEEP}cc.txt`, 'zz.txt'].map((path) => `0 ${'0'.repeat(40)}\t${path}\n`);
    execFileSync('git', ['-C', dir, 'update-index', '--index-info'], { input: [...zero, ...input].join('') });
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  const read = () => readFileSync(join(dir, '.git/index'));
  const expected = ['a.txt', `${DEEP}cc.txt`, 'zz.txt'];

  it.each([2, 3, 4])('reads version %s of the index like git', (version) => {
    // Only a file with an extended flag needs version 3.
    if (version === 3) {
      write(dir, { 'new.txt': 'x' });
      git(dir, 'add', '--intent-to-add', 'new.txt');
    }
    git(dir, 'update-index', '--index-version', String(version));
    if (version === 3) expect(read().readUInt32BE(4)).toBe(3);
    expect(listUnmerged(read())).toEqual(expected);
  });

  it('reads any prefix of an index without an error', () => {
    const index = read();
    for (let end = 0; end < index.length; end += 7)
      expect(listUnmerged(index.subarray(0, end))).toBeDefined();
  });

  it.each<[string, Entry[], object]>([
    ['names longer than any path', repeat(5, { removed: 0, added: 'a'.repeat(1_000) }), []],
    ['a name that removes more than there is', [{ removed: 1, added: 'a' }], []],
    ['more files than anybody would read', number(3_000), { length: 1_000 }],
  ])('does not list %s', (_name, entries, result) => {
    expect(listUnmerged(makeIndex(entries))).toMatchObject(result);
  });
});

describe("the index of the agent's repository", () => {
  it('cannot make git use unlimited memory, because git never reads it', async () => {
    const world = makeWorld();
    const { slot, head } = await world.start();
    const long = [{ removed: 0, added: 'a'.repeat(100_000) }, ...repeat(20, { removed: 0, added: 'a' })];
    writeFileSync(join(slot.path, '.git/index'), makeIndex(long));
    // Git would read the index and report each file.
    expect(git(slot.path, 'ls-files', '--unmerged').split('\n')).toHaveLength(21);
    const collected = await slot.collect({ startSha: head, message: 'Work', trailer: TRAILER });
    expect(collected).toEqual({ kind: 'empty' });
    await world.remove();
  });
});

/** A name in version 4 of the index: how many bytes of the previous name to remove, and what to add. */
type Entry = { removed: number; added: string };

function repeat(count: number, entry: Entry): Entry[] {
  return Array.from({ length: count }, () => entry);
}

function number(count: number): Entry[] {
  const names = Array.from({ length: count }, (_, at) => String(at).padStart(5, '0'));
  return names.map((added, at) => ({ removed: at === 0 ? 0 : 5, added }));
}

/** An index of version 4 in which all files are unmerged. */
function makeIndex(entries: readonly Entry[]): Buffer {
  const header = Buffer.alloc(12);
  header.write('DIRC');
  header.writeUInt32BE(4, 4);
  header.writeUInt32BE(entries.length, 8);
  const parts = entries.map(({ removed, added }) => {
    const fixed = Buffer.alloc(62);
    fixed.writeUInt32BE(0o100644, 24);
    fixed.fill(1, 40, 60);
    fixed.writeUInt16BE(0x1fff, 60);
    return Buffer.concat([fixed, Buffer.from([removed]), Buffer.from(`${added}\0`)]);
  });
  const body = Buffer.concat([header, ...parts]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}
