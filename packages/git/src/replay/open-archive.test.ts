import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commit, git } from '../testing/shell.js';
import { makeWorld, type World } from '../testing/world.js';

describe('the archive of a merged pull request', () => {
  let world: World;
  let base: string;
  let headSha: string;
  let mergeSha: string;
  beforeAll(() => {
    world = makeWorld();
    const { clone } = world;
    base = git(clone, 'rev-parse', 'HEAD');
    git(clone, 'checkout', '-q', '-b', 'topic');
    commit(clone, { 'src/a.txt': 'fixed\n' });
    headSha = commit(clone, { 'tests/a.txt': 'expects fixed\n', 'src/b.txt': 'two\nthree\n' });
    git(clone, 'checkout', '-q', 'main');
    commit(clone, { 'README.md': 'moved on\n' });
    git(clone, 'merge', '-q', '--squash', 'topic');
    mergeSha = commit(clone, {}, 'Fix (#2)');
    git(clone, 'tag', 'v1');
    git(clone, 'push', '-q', 'origin', 'main', 'topic', 'v1');
  });
  afterAll(() => world.remove());

  const fetch = (commits: readonly string[]) =>
    world.git.openArchive(world.repo, { dir: join(world.dir, 'archive.git'), commits });
  const open = async (commits: readonly string[]) => {
    const opened = await fetch(commits);
    if (opened.kind === 'missing') throw new Error(opened.reason);
    return opened.archive;
  };
  const has = (dir: string, sha: string): boolean => {
    try {
      git(dir, 'cat-file', '-e', sha);
      return true;
    } catch {
      return false;
    }
  };

  it('finds the base and the size of the real change', async () => {
    const archive = await open([headSha, mergeSha]);
    expect(await archive.findBase({ headSha, mergeSha })).toBe(base);
    expect(await archive.measure({ base, head: headSha })).toEqual([
      { path: 'src/a.txt', lines: 2 },
      { path: 'src/b.txt', lines: 1 },
      { path: 'tests/a.txt', lines: 1 },
    ]);
    await archive.remove();
    expect(existsSync(archive.path)).toBe(false);
  });

  it('cuts a repository that contains only the history of the base', async () => {
    const archive = await open([headSha, mergeSha]);
    const dir = join(world.dir, 'cut.git');
    await archive.cut({ dir, head: 'main', branches: { main: base } });
    const solution = git(world.clone, 'rev-parse', `${headSha}:tests/a.txt`);
    for (const sha of [headSha, mergeSha, solution]) {
      expect(has(archive.path, sha)).toBe(true);
      expect(has(dir, sha)).toBe(false);
    }
    expect(git(dir, 'for-each-ref', '--format=%(refname) %(objectname)')).toBe(`refs/heads/main ${base}`);
    expect(git(dir, 'remote')).toBe('');
    const files = readdirSync(dir, { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => /alternates|FETCH_HEAD|logs/.test(name))).toEqual([]);
    expect(readFileSync(join(dir, 'config'), 'utf8')).not.toContain(world.remote);
  });

  it('puts the tests of the merge onto another commit, and removes files that the merge lacks', async () => {
    const archive = await open([headSha, mergeSha]);
    const sha = await archive.overlay({
      onto: base,
      from: [
        { sha: mergeSha, paths: ['tests/a.txt', 'src/b.txt'] },
        { sha: headSha, paths: ['gone.txt'] },
      ],
      branch: 'overlay',
    });
    expect(git(archive.path, 'diff-tree', '-r', '--name-status', base, sha)).toBe(
      'M\tsrc/b.txt\nA\ttests/a.txt',
    );
    const without = await archive.overlay({
      onto: sha,
      from: [{ sha: base, paths: ['tests/a.txt'] }],
      branch: 'without',
    });
    expect(await archive.listFiles(without)).not.toContain('tests/a.txt');
  });

  it('reports a commit that the remote no longer has', async () => {
    expect(await fetch(['a'.repeat(40)])).toMatchObject({ kind: 'missing' });
  });
});
