import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listCommits, listProposed, listShas, resolveCommit } from '../commits.js';
import { readContent } from '../contents.js';
import { createBareRepo } from '../create-repo.js';
import { diffFiles, diffText } from '../diff.js';
import { openGitRepo } from '../git-repo.js';
import { commitTree } from '../merge.js';
import { moveRef, readRefs, setRef } from '../refs.js';
import { writeCommit } from '../write-files.js';
import { createMemoryRoot, dropMemoryRoot } from './memory-repos.js';

const author = { name: 'Ada', email: 'ada@example.test' };
const LONG = Array.from({ length: 30 }, (_none, index) => `line ${index + 1}\n`).join('');

/** Builds the same history in a repository, and asks everything that the twin asks git. */
async function ask(dir: string) {
  await createBareRepo(dir, 'main');
  let seconds = 0;
  const commit = (
    parent: string | null,
    files: Record<string, string | null>,
    message = 'Change\n\nBody',
  ) => {
    seconds += 1;
    return writeCommit(dir, { files, message, parent, author, atMs: 1_700_000_000_000 + seconds * 1_000 });
  };
  const first = await commit(null, { 'README.md': 'hi\n', 'src/a.txt': LONG, 'src/deep/b.txt': 'b\n' });
  const main = await commit(first, {
    'src/a.txt': LONG.replace('line 2\n', 'two\n'),
    'run.sh': '#!/bin/sh\n',
  });
  const topic = await commit(first, {
    'src/a.txt': `${LONG.replace('line 28\n', '')}end`,
    'src/deep/b.txt': null,
  });
  const clash = await commit(first, { 'src/a.txt': LONG.replace('line 2\n', '2\n') });
  await setRef(dir, 'refs/heads/main', main);
  const moves = [
    await moveRef(dir, 'refs/heads/topic', { before: null, after: topic }),
    await moveRef(dir, 'refs/heads/topic', { before: main, after: first }),
    await moveRef(dir, 'refs/heads/gone', { before: null, after: first }),
    await moveRef(dir, 'refs/heads/gone', { before: first, after: null }),
  ];
  const repo = openGitRepo(dir);
  const tree = (await repo.mergeTree(main, clash)) ?? null;
  const squashed = await commitTree(dir, {
    tree: (await repo.readCommit(topic)).tree,
    parents: [main],
    message: 'Squash',
    signature: { author, committer: author, atMs: 0 },
  });
  const hunks = (text: string): string =>
    text.replace(/^(@@ .* @@).*$/gm, '$1').replace(/^index .*$/gm, 'index');
  const diffs = await Promise.all(
    [
      { from: main, to: topic },
      { from: first, to: main },
      { from: first, to: topic, context: 0 },
    ].map(async (range) =>
      (await diffFiles(dir, range)).map((file) => ({ ...file, patch: hunks(file.patch ?? '') })),
    ),
  );
  return {
    shas: { first, main, topic, clash, squashed },
    moves,
    tree,
    diffs,
    text: hunks(await diffText(dir, { from: first, to: main })),
    refs: await readRefs(dir),
    commits: await listCommits(dir, ['--max-count=1', main]),
    proposed: await listProposed(dir, { base: main, head: topic }),
    listed: await listShas(dir, [topic, `^${main}`]),
    chain: await listShas(dir, ['--first-parent', '--reverse', main, `^${first}`]),
    names: await Promise.all(
      ['main', 'nothing', first, 'f'.repeat(40)].map((name) => resolveCommit(dir, name)),
    ),
    compared: await repo
      .compare(main, topic)
      .then((found) => found && { ...found, files: found.files.length }),
    ancestors: [await repo.isAncestor(first, main), await repo.isAncestor(main, topic)],
    file: await readContent(dir, main, 'src/a.txt'),
    missing: await readContent(dir, main, 'src/none.txt'),
    kept: await readContent(dir, main, 'src/deep/b.txt'),
  };
}

describe('a repository in memory', () => {
  it('gives the twin the same answers and the same shas as git', async () => {
    const dir = mkdtempSync(join(realpathSync(tmpdir()), 'twin-git-'));
    const root = createMemoryRoot();
    try {
      expect(await ask(join(root, 'repo.git'))).toEqual(await ask(join(dir, 'repo.git')));
    } finally {
      rmSync(dir, { recursive: true, force: true });
      dropMemoryRoot(root);
    }
  });
});
