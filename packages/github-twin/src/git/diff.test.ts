import fs from 'node:fs';
import path from 'node:path';
import { commitFile, mustGit } from '../testing/git.js';
import { makeTempDir } from '../testing/test-twin.js';
import { diffFiles } from './diff.js';

async function makeRepo() {
  const dir = makeTempDir();
  await mustGit(dir, 'init', '-q');
  return dir;
}

describe('the files of a diff', () => {
  it('are listed as added, changed, removed or renamed, with counts and patches', async () => {
    const dir = await makeRepo();
    await commitFile(dir, 'changed.txt', 'a\nb\n');
    await commitFile(dir, 'gone.txt', 'something quite different\n');
    const from = await commitFile(dir, 'old name.txt', 'kept\n'.repeat(20));
    fs.renameSync(path.join(dir, 'old name.txt'), path.join(dir, 'new näme.txt'));
    fs.rmSync(path.join(dir, 'gone.txt'));
    fs.writeFileSync(path.join(dir, 'bin'), Buffer.from([0, 1, 2]));
    const to = await commitFile(dir, 'changed.txt', 'a\nc\nd\n');
    const files = await diffFiles(dir, { from, to });
    expect(
      files.map(({ filename, status, additions, deletions }) => [filename, status, additions, deletions]),
    ).toEqual([
      ['bin', 'added', 0, 0],
      ['changed.txt', 'modified', 2, 1],
      ['gone.txt', 'removed', 0, 1],
      ['new näme.txt', 'renamed', 0, 0],
    ]);
    expect(files[1]?.patch).toBe('@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d');
    expect([files[0]?.patch, files[3]?.previousFilename]).toEqual([null, 'old name.txt']);
  });

  it('are correct even if their content looks like a diff or their type changes', async () => {
    const dir = await makeRepo();
    fs.writeFileSync(path.join(dir, 'link'), 'a file\n');
    const from = await commitFile(dir, 'a.txt', 'a\n');
    fs.rmSync(path.join(dir, 'link'));
    fs.symlinkSync('a.txt', path.join(dir, 'link'));
    const to = await commitFile(dir, 'a.txt', 'x\rdiff --git a/b b/b\r@@ -1 +1 @@\n');
    fs.writeFileSync(path.join(dir, 'z.txt'), 'z\n');
    const files = await diffFiles(dir, { from, to: await commitFile(dir, 'z.txt', 'z\n') });
    expect(to).toHaveLength(40);
    expect(files.map(({ filename, status }) => [filename, status])).toEqual([
      ['a.txt', 'modified'],
      ['link', 'changed'],
      ['z.txt', 'added'],
    ]);
    expect(files[0]?.patch).toBe('@@ -1 +1 @@\n-a\n+x\rdiff --git a/b b/b\r@@ -1 +1 @@');
  });
});
