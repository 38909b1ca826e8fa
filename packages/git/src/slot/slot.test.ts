import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { commit, git, write } from '../testing/shell.js';
import { BRANCH, makeWorld, NEW_BRANCH, TRAILER, type World } from '../testing/world.js';

describe('a slot', () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld();
  });
  afterEach(() => world.remove());

  it('starts a new branch at the head of the base branch, and checks out its files', async () => {
    const slot = await world.lease();
    const head = git(world.clone, 'rev-parse', 'main');
    expect(await slot.restore(NEW_BRANCH)).toEqual({ kind: 'ready', head, baseSha: head });
    expect(slot.path).toBe(join(world.baseDir, 'checkouts/acme/app/worker-1'));
    expect(readFileSync(join(slot.path, 'src/a.txt'), 'utf8')).toBe('one\n');
    expect(existsSync(join(world.baseDir, 'repos/acme/app.git/HEAD'))).toBe(true);
    expect(existsSync(join(world.baseDir, 'trusted/acme/app/worker-1.git/HEAD'))).toBe(true);
  });

  it('lets the agent read the history and commit with its own git', async () => {
    const { slot, head } = await world.start();
    expect(git(slot.path, 'rev-parse', 'HEAD')).toBe(head);
    expect(git(slot.path, 'status', '--porcelain', '--branch')).toBe(`## ${BRANCH}`);
    expect(git(slot.path, 'log', '--format=%s', 'origin/main')).toBe('First');
    expect(git(slot.path, 'remote')).toBe('');
    expect(git(slot.path, 'config', 'user.email')).toBe('agent@example.test');
    expect(git(slot.path, 'fsck')).toBe('');
  });

  it('continues a branch only at the given head', async () => {
    git(world.clone, 'checkout', '-q', '-b', BRANCH);
    const first = commit(world.clone, { 'src/c.txt': 'three\n' });
    git(world.clone, 'push', '-q', 'origin', BRANCH);
    const slot = await world.lease();
    const ready = await slot.restore({ ...NEW_BRANCH, startSha: first });
    expect(ready).toMatchObject({ kind: 'ready', head: first });
    expect(readFileSync(join(slot.path, 'src/c.txt'), 'utf8')).toBe('three\n');
    const second = commit(world.clone, { 'src/c.txt': 'four\n' });
    git(world.clone, 'push', '-q', 'origin', BRANCH);
    const moved = await slot.restore({ ...NEW_BRANCH, startSha: first });
    expect(moved).toEqual({ kind: 'mismatch', expected: first, observed: second });
    git(world.clone, 'push', '-q', 'origin', `:${BRANCH}`);
    const gone = await slot.restore({ ...NEW_BRANCH, startSha: second });
    expect(gone).toEqual({ kind: 'mismatch', expected: second, observed: null });
  });

  it('reports a missing base branch', async () => {
    const slot = await world.lease();
    const restoring = slot.restore({ ...NEW_BRANCH, baseBranch: 'develop' });
    await expect(restoring).rejects.toMatchObject({ name: 'Failure', kind: 'not-found' });
  });

  it('removes all traces of another task: edits, new, ignored and staged files, commits, branches', async () => {
    const { slot } = await world.start();
    write(slot.path, {
      'src/a.txt': 'edited\n',
      'new/deep/file.txt': 'new\n',
      'ignored/secret.txt': 'old\n',
    });
    git(slot.path, 'checkout', '-q', '-b', 'elsewhere');
    commit(slot.path, { 'src/committed.txt': 'x\n' });
    git(slot.path, 'rm', '-q', 'src/b.txt');
    const restored = await slot.restore(NEW_BRANCH);
    expect(restored.kind).toBe('ready');
    expect(git(slot.path, 'status', '--porcelain', '--ignored')).toBe('');
    expect(git(slot.path, 'ls-files', '--others')).toBe('');
    expect(git(slot.path, 'branch', '--format=%(refname:short)')).toBe(BRANCH);
    expect(existsSync(join(slot.path, 'ignored'))).toBe(false);
  });

  it('checks out the exact bytes of the commits and ignores their attributes', async () => {
    const files = { '.gitattributes': '*.txt text eol=crlf ident\n', 'a.txt': 'x\r\n$Id$\nmixed\n' };
    git(world.clone, 'config', 'core.attributesFile', '/dev/null');
    write(world.clone, { '.git/info/attributes': '* -text !ident\n' });
    commit(world.clone, files);
    git(world.clone, 'push', '-q', 'origin', 'main');
    const { slot, head } = await world.start();
    expect(readFileSync(join(slot.path, 'a.txt'), 'utf8')).toBe(files['a.txt']);
    expect(await slot.collect({ startSha: head, message: 'x', trailer: TRAILER })).toEqual({ kind: 'empty' });
    expect(git(slot.path, 'status', '--porcelain')).toBe('');
  });

  it('gives the tests exactly the committed tree, and never commits files that the tests leave behind', async () => {
    const { slot, head } = await world.start();
    write(slot.path, { 'src/a.txt': 'fixed\n', 'ignored/cache': 'stale\n' });
    const request = { startSha: head, message: 'Fix', trailer: TRAILER };
    const first = await slot.collect(request);
    if (first.kind !== 'collected') throw new Error(first.kind);
    await slot.prepareTests(first.sha);
    expect(existsSync(join(slot.path, 'ignored'))).toBe(false);
    expect(readFileSync(join(slot.path, 'src/a.txt'), 'utf8')).toBe('fixed\n');
    write(slot.path, { 'coverage/report.txt': '10 %\n', 'src/b.txt': 'changed by a test\n' });
    await slot.prepareTests(first.sha);
    write(slot.path, { 'src/c.txt': 'second try\n' });
    const second = await slot.collect(request);
    if (second.kind !== 'collected') throw new Error(second.kind);
    expect(second.commits).toEqual([second.sha]);
    expect(second.files).toEqual([
      { path: 'src/a.txt', status: 'modified' },
      { path: 'src/c.txt', status: 'added' },
    ]);
  });

  it('makes its directories private', async () => {
    const { slot } = await world.start();
    const modes = ['repos/acme/app.git', 'trusted/acme/app/worker-1.git', 'claims/acme/app'].map((name) =>
      statSync(join(world.baseDir, name)),
    );
    expect([...modes, statSync(slot.path)].map(({ mode }) => mode & 0o777)).toEqual([
      0o700, 0o700, 0o700, 0o700,
    ]);
  });

  it('is cleaned on release, and then leased again', async () => {
    const { slot } = await world.start();
    write(slot.path, { 'left.txt': 'x\n', 'src/a.txt': 'edited\n' });
    const other = await world.lease();
    expect([slot, other].map(({ path }) => basename(path))).toEqual(['worker-1', 'worker-2']);
    await slot.release();
    expect(existsSync(join(slot.path, 'left.txt'))).toBe(false);
    expect(existsSync(join(slot.path, '.git'))).toBe(false);
    expect((await world.lease()).path).toBe(slot.path);
    await expect(slot.listFiles()).rejects.toThrow('after its release');
  });

  it('is released even if it cannot be cleaned', async () => {
    const { slot } = await world.start();
    writeFileSync(join(world.baseDir, 'trusted/acme/app/worker-1.git/HEAD'), 'nonsense');
    await slot.release();
    expect((await world.lease()).path).toBe(slot.path);
    expect(world.logged.join()).toContain('could not be cleaned');
  });

  it('lists tracked and new files, not ignored ones', async () => {
    const { slot } = await world.start();
    write(slot.path, { 'new.txt': 'x\n', 'ignored/x.txt': 'x\n' });
    expect((await slot.listFiles()).sort()).toEqual([
      '.gitignore',
      'README.md',
      'new.txt',
      'src/a.txt',
      'src/b.txt',
    ]);
  });

  it('reads a file from a commit, not from the slot', async () => {
    const { slot, head: sha } = await world.start();
    await slot.writeFile('src/a.txt', 'changed in the slot\n');
    const read = async (path: string, maxBytes = 1_000) =>
      (await slot.readCommitted({ sha, path, maxBytes }))?.toString();
    expect(await read('src/a.txt')).toBe('one\n');
    expect(await read('src/a.txt', 1)).toBeUndefined();
    for (const path of [
      'missing.md',
      'src',
      '../src/a.txt',
      'src/a.txt\nsrc/a.txt',
      'src/',
      'src/../../x',
      ':(top)src/a.txt',
      '',
    ])
      expect(await read(path)).toBeUndefined();
  });
});
