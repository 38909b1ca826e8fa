import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import type { Slot } from '../slot/slot.js';
import { createFailingGit } from '../testing/failing-git.js';
import { commit, git, write } from '../testing/shell.js';
import { VECTORS } from '../testing/vectors.js';
import { BRANCH, makeWorld, TRAILER, type World } from '../testing/world.js';

type Files = Readonly<Record<string, string | Buffer | null>>;
type Sides = { before?: Files; branch: Files; base: Files };

const MESSAGE = `Merge branch 'main' into ${BRANCH}`;
const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', ''].join('\n');
const CONFLICT: Sides = {
  before: { 'f.txt': LINES },
  branch: { 'f.txt': LINES.replace('two', 'ours'), 'mine.txt': 'x\n' },
  base: { 'f.txt': LINES.replace('two', 'theirs'), 'theirs.txt': 'y\n' },
};
const RESOLVED = { 'f.txt': LINES.replace('two', 'both') };

describe('merging the base into a branch', () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld();
  });
  afterEach(() => world.remove());

  const trusted = () => join(world.baseDir, 'trusted/acme/app/worker-1.git');
  const read = (slot: Slot, path: string) => readFileSync(join(slot.path, path), 'utf8');
  const show = (sha: string, path: string) => git(trusted(), 'show', `${sha}:${path}`);
  const parentsOf = (sha: string) => git(trusted(), 'log', '-1', '--format=%P', sha).split(' ');

  function change(files: Files): string {
    for (const [name, content] of Object.entries(files))
      if (content === null) rmSync(join(world.clone, name), { recursive: true });
      else write(world.clone, { [name]: content });
    return commit(world.clone, {});
  }

  /** Pushes both sides to the remote and restores a slot at the branch. */
  async function diverge({ before = {}, branch, base }: Sides) {
    change(before);
    git(world.clone, 'checkout', '-q', '-b', BRANCH);
    const head = change(branch);
    git(world.clone, 'checkout', '-q', 'main');
    const baseSha = change(base);
    git(world.clone, 'push', '-q', 'origin', 'main', BRANCH);
    const slot = await world.lease();
    await slot.restore({ branch: BRANCH, startSha: head, baseBranch: 'main' });
    const collect = () =>
      slot.collect({ startSha: head, message: MESSAGE, trailer: TRAILER, mergeParent: baseSha });
    const mustCollect = async () => {
      const collected = await collect();
      if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
      return collected;
    };
    return { slot, head, baseSha, collect, mustCollect };
  }

  async function merge(sides: Sides) {
    const diverged = await diverge(sides);
    const merged = await diverged.slot.mergeBase({ head: diverged.head, baseSha: diverged.baseSha });
    return { ...diverged, merged };
  }

  it('does nothing if the branch contains the base', async () => {
    const { slot, head } = await diverge(CONFLICT);
    const older = git(world.clone, 'rev-parse', `${head}~1`);
    expect(await slot.mergeBase({ head, baseSha: older })).toEqual({ kind: 'up-to-date' });
    write(slot.path, { 'mine.txt': 'better\n' });
    const request = { startSha: head, message: MESSAGE, trailer: TRAILER, mergeParent: older };
    const collected = await slot.collect(request);
    if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
    expect(parentsOf(collected.sha)).toEqual([head]);
  });

  it('commits a merge without conflicts, with two parents and without edits', async () => {
    const { slot, head, baseSha, merged, mustCollect } = await merge({
      before: { 'f.txt': LINES },
      branch: { 'f.txt': LINES.replace('one', 'ours') },
      base: { 'f.txt': LINES.replace('seven', 'theirs'), 'new.txt': 'new\n', 'src/b.txt': null },
    });
    expect(merged).toEqual({ kind: 'merged' });
    expect(read(slot, 'f.txt')).toBe(LINES.replace('one', 'ours').replace('seven', 'theirs'));
    expect([existsSync(join(slot.path, 'new.txt')), existsSync(join(slot.path, 'src/b.txt'))]).toEqual([
      true,
      false,
    ]);
    const { sha, commits, files } = await mustCollect();
    expect(parentsOf(sha)).toEqual([head, baseSha]);
    expect(commits).toEqual([sha]);
    expect(files.map(({ path }) => path)).toEqual(['f.txt', 'new.txt', 'src/b.txt']);
    expect(git(trusted(), 'show', `${sha}:f.txt`)).toBe(read(slot, 'f.txt').trim());
    expect(git(trusted(), 'log', '-1', '--format=%an|%B', sha)).toBe(`MergeXO|${MESSAGE}\n\n${TRAILER}`);
  });

  it('shows conflicts with markers, and commits their resolution', async () => {
    const { slot, head, baseSha, merged, mustCollect } = await merge(CONFLICT);
    expect(merged).toMatchObject({
      kind: 'conflicts',
      files: [{ path: 'f.txt', reason: 'changed on both sides' }],
    });
    expect(read(slot, 'f.txt')).toContain('<<<<<<< branch\nours\n=======\ntheirs\n>>>>>>> base\n');
    expect(git(slot.path, 'rev-parse', 'origin/main')).toBe(baseSha);
    write(slot.path, RESOLVED);
    const { sha } = await mustCollect();
    expect(parentsOf(sha)).toEqual([head, baseSha]);
    expect(show(sha, 'f.txt')).toBe(RESOLVED['f.txt'].trim());
    expect(show(sha, 'theirs.txt')).toBe('y');
  });

  it('commits nothing while a conflict marker remains, and everything after it is removed', async () => {
    const { slot, collect } = await merge(CONFLICT);
    const unresolved = {
      kind: 'unresolved',
      files: [{ path: 'f.txt', reason: 'it still has conflict markers' }],
    };
    expect(await collect()).toEqual(unresolved);
    commit(slot.path, {}, 'All done, I say');
    expect(await collect()).toEqual(unresolved);
    write(slot.path, RESOLVED);
    expect(await collect()).toMatchObject({ kind: 'collected' });
  });

  it('accepts conflict markers that the file already contained', async () => {
    const quoted = '<<<<<<< yours\na\n=======\nb\n>>>>>>> mine\n';
    const { slot, merged, collect } = await merge({
      before: { 'f.txt': `${LINES}${quoted}` },
      branch: { 'f.txt': `${LINES.replace('two', 'ours')}${quoted}` },
      base: { 'f.txt': `${LINES.replace('two', 'theirs')}${quoted}` },
    });
    expect(merged.kind).toBe('conflicts');
    expect(await collect()).toMatchObject({ kind: 'unresolved' });
    write(slot.path, { 'f.txt': `${LINES}${quoted}` });
    expect(await collect()).toMatchObject({ kind: 'collected' });
  });

  it.each<[string, Sides, string, string[]]>([
    [
      'deleted on the base',
      { before: { 'f.txt': LINES }, branch: { 'f.txt': `${LINES}x\n` }, base: { 'f.txt': null } },
      'changed on the branch, deleted on the base',
      ['f.txt'],
    ],
    [
      'deleted on the branch',
      { before: { 'f.txt': LINES }, branch: { 'f.txt': null }, base: { 'f.txt': `${LINES}x\n` } },
      'deleted on the branch, changed on the base',
      ['f.txt'],
    ],
    [
      'binary',
      {
        before: { 'f.bin': Buffer.from([0, 1]) },
        branch: { 'f.bin': Buffer.from([0, 2]) },
        base: { 'f.bin': Buffer.from([0, 3]) },
      },
      'binary',
      ['f.bin'],
    ],
    [
      'renamed twice',
      {
        before: { 'f.txt': LINES },
        branch: { 'f.txt': null, 'ours.txt': LINES },
        base: { 'f.txt': null, 'theirs.txt': LINES },
      },
      'renamed to different names',
      ['f.txt', 'ours.txt', 'theirs.txt'],
    ],
    [
      'a file and a directory',
      { branch: { thing: 'x\n' }, base: { 'thing/inside.txt': 'y\n' } },
      'a file on one side, a directory on the other',
      ['thing~branch'],
    ],
  ])('explains a conflict without markers, and lets the agent decide: %s', async (...row) => {
    const [, sides, reason, paths] = row;
    const { slot, head, baseSha, merged, mustCollect } = await merge(sides);
    if (merged.kind !== 'conflicts') throw new Error(merged.kind);
    expect(merged.files.map(({ path }) => path)).toEqual(paths);
    for (const file of merged.files) expect(file.reason).toContain(reason);
    for (const path of paths) rmSync(join(slot.path, path), { force: true });
    write(slot.path, { 'decided.txt': 'x\n' });
    const { sha } = await mustCollect();
    expect(parentsOf(sha)).toEqual([head, baseSha]);
    const names = git(trusted(), 'ls-tree', '-r', '--name-only', sha).split('\n');
    expect(names.filter((name) => paths.includes(name))).toEqual([]);
  });

  it('keeps a file that one side deleted if the agent does not remove it', async () => {
    const { mustCollect } = await merge({
      before: { 'f.txt': LINES },
      branch: { 'f.txt': `${LINES}x\n` },
      base: { 'f.txt': null },
    });
    expect(show((await mustCollect()).sha, 'f.txt')).toContain('seven\nx');
  });

  it("puts the merge on top of the agent's own commits", async () => {
    const { slot, head, baseSha, mustCollect } = await merge(CONFLICT);
    write(slot.path, { ...RESOLVED, 'ignored/forced.txt': 'x\n' });
    git(slot.path, 'add', '-f', 'ignored/forced.txt');
    commit(slot.path, {}, 'Resolve');
    commit(slot.path, { 'src/a.txt': 'also\n' }, 'Also');
    write(slot.path, { 'src/b.txt': 'left over\n' });
    const { sha, commits } = await mustCollect();
    const [first = '', second = ''] = commits;
    expect(commits).toEqual([first, second, sha]);
    expect(parentsOf(sha)).toEqual([second, baseSha]);
    expect(parentsOf(first)).toEqual([head]);
    expect([first, second].map((one) => git(trusted(), 'log', '-1', '--format=%s', one))).toEqual([
      'Resolve',
      'Also',
    ]);
    const files = ['f.txt', 'src/a.txt', 'src/b.txt', 'theirs.txt', 'ignored/forced.txt'];
    expect(files.map((path) => show(sha, path).split('\n').at(-1))).toEqual([
      'seven',
      'also',
      'left over',
      'y',
      'x',
    ]);
  });

  it("accepts the agent's own merge", async () => {
    const { slot, head, baseSha, mustCollect, collect } = await merge(CONFLICT);
    git(slot.path, 'reset', '-q', '--hard');
    git(slot.path, 'clean', '-qfd');
    expect(() => git(slot.path, 'merge', '-q', 'origin/main')).toThrow('merge -q origin/main');
    expect(await collect()).toMatchObject({ kind: 'unresolved', files: [{ path: 'f.txt' }] });
    commit(slot.path, RESOLVED, 'My merge');
    const { sha, commits } = await mustCollect();
    expect([commits, parentsOf(sha)]).toEqual([[sha], [head, baseSha]]);
    expect(git(trusted(), 'log', '-1', '--format=%B', sha)).toBe(`My merge\n\n${TRAILER}`);
    write(slot.path, { 'src/b.txt': 'left over\n' });
    const further = await mustCollect();
    const [own = ''] = further.commits;
    expect([further.commits, parentsOf(further.sha)]).toEqual([[own, further.sha], [own]]);
    expect(parentsOf(own)).toEqual([head, baseSha]);
  });

  it('keeps files of the base that .gitignore matches', async () => {
    git(world.clone, 'config', 'core.excludesFile', '/dev/null');
    git(world.clone, 'checkout', '-q', '-b', BRANCH);
    const head = change({ 'mine.txt': 'x\n' });
    git(world.clone, 'checkout', '-q', 'main');
    write(world.clone, { 'ignored/kept.txt': 'kept\n' });
    git(world.clone, 'add', '-f', 'ignored/kept.txt');
    const baseSha = change({ 'new.txt': 'new\n' });
    git(world.clone, 'push', '-q', 'origin', 'main', BRANCH);
    const slot = await world.lease();
    await slot.restore({ branch: BRANCH, startSha: head, baseBranch: 'main' });
    expect(await slot.mergeBase({ head, baseSha })).toMatchObject({ kind: 'merged' });
    const request = { startSha: head, message: MESSAGE, trailer: TRAILER, mergeParent: baseSha };
    const collected = await slot.collect(request);
    if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
    expect(show(collected.sha, 'ignored/kept.txt')).toBe('kept');
  });

  it.each<[string, Files, string[][], string]>([
    [
      'resets and cleans',
      {},
      [
        ['reset', '-q', '--hard'],
        ['clean', '-qfd'],
      ],
      'theirs.txt',
    ],
    ['stashes everything', {}, [['stash', '-q', '-u']], 'theirs.txt'],
    ['stashes tracked files', { 'src/a.txt': 'two\n' }, [['stash', '-q']], 'src/a.txt'],
    ['checks out the old files', { 'src/a.txt': 'two\n' }, [['checkout', '-q', '.']], 'src/a.txt'],
  ])('does not silently revert the base when the agent %s', async (_name, more, steps, path) => {
    const { slot, collect } = await merge({ ...CONFLICT, base: { ...CONFLICT.base, ...more } });
    for (const step of steps) git(slot.path, ...step);
    const files = [{ path, reason: "the base's changes to it were reverted" }];
    expect(await collect()).toEqual({ kind: 'unresolved', files });
  });

  it('lets the agent revert a single file that the base changed', async () => {
    const base = { ...CONFLICT.base, 'src/a.txt': 'two\n', 'src/b.txt': 'three\n' };
    const { slot, mustCollect } = await merge({ ...CONFLICT, base });
    write(slot.path, { ...RESOLVED, 'src/b.txt': 'two\n' });
    expect(show((await mustCollect()).sha, 'src/b.txt')).toBe('two');
  });

  it('lets the agent resolve a conflict in favor of the branch', async () => {
    const { slot, head, baseSha, mustCollect } = await merge({
      before: { 'f.txt': LINES },
      branch: { 'f.txt': LINES.replace('two', 'ours') },
      base: { 'f.txt': LINES.replace('two', 'theirs') },
    });
    write(slot.path, { 'f.txt': LINES.replace('two', 'ours') });
    const { sha, files } = await mustCollect();
    expect([parentsOf(sha), files]).toEqual([[head, baseSha], []]);
  });

  it('creates a second merge commit with the same parents after the tests ran on the first', async () => {
    const { slot, head, baseSha, mustCollect } = await merge(CONFLICT);
    write(slot.path, RESOLVED);
    const first = await mustCollect();
    await slot.prepareTests(head);
    await slot.prepareTests(first.sha);
    write(slot.path, { 'f.txt': `${RESOLVED['f.txt']}fixed\n` });
    const second = await mustCollect();
    expect([parentsOf(second.sha), second.commits]).toEqual([[head, baseSha], [second.sha]]);
    expect(show(second.sha, 'f.txt')).toContain('fixed');
    expect(show(second.sha, 'theirs.txt')).toBe('y');
  });

  it('still detects rewritten history', async () => {
    const { slot, head, collect } = await merge(CONFLICT);
    git(slot.path, 'commit', '-q', '--amend', '--allow-empty', '-m', 'Amended');
    expect(await collect()).toMatchObject({ kind: 'rewritten', expected: head });
  });

  it('resolves files with any name', async () => {
    const names = ['--upload-pack=x', '-x', ':(top)y', 'a\nb', 'a\tb', '*', '$(id)', '\u202etxt', 'é', '"q"'];
    const all = (text: string) => Object.fromEntries(names.map((name) => [name, `${text}\n`]));
    const { slot, merged, collect, mustCollect } = await merge({
      before: all('one'),
      branch: all('ours'),
      base: all('theirs'),
    });
    if (merged.kind !== 'conflicts') throw new Error(merged.kind);
    expect(merged.files.map(({ path }) => path).sort()).toEqual([...names].sort());
    const unresolved = await collect();
    if (unresolved.kind !== 'unresolved') throw new Error(unresolved.kind);
    expect(unresolved.files.map(({ path }) => path).sort()).toEqual([...names].sort());
    write(slot.path, all('both'));
    const { files } = await mustCollect();
    expect(files.map(({ path }) => path).sort()).toEqual([...names].sort());
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;
  onLinux('resolves a file whose name is not UTF-8', async () => {
    const name = (dir: string) => Buffer.concat([Buffer.from(`${dir}/odd-`), Buffer.from([255])]);
    writeFileSync(name(world.clone), 'one\n');
    change({});
    git(world.clone, 'checkout', '-q', '-b', BRANCH);
    writeFileSync(name(world.clone), 'ours\n');
    const head = change({});
    git(world.clone, 'checkout', '-q', 'main');
    writeFileSync(name(world.clone), 'theirs\n');
    const baseSha = change({});
    git(world.clone, 'push', '-q', 'origin', 'main', BRANCH);
    const slot = await world.lease();
    await slot.restore({ branch: BRANCH, startSha: head, baseBranch: 'main' });
    const merged = await slot.mergeBase({ head, baseSha });
    expect(merged).toMatchObject({ kind: 'conflicts', files: [{ path: 'odd-\ufffd' }] });
    const request = { startSha: head, message: MESSAGE, trailer: TRAILER, mergeParent: baseSha };
    expect(await slot.collect(request)).toMatchObject({
      kind: 'unresolved',
      files: [{ path: 'odd-\ufffd' }],
    });
    writeFileSync(name(slot.path), 'both\n');
    expect(await slot.collect(request)).toMatchObject({ kind: 'collected' });
  });

  it('runs no program from a hostile slot, and ignores its settings', async () => {
    const traps = join(world.dir, 'traps');
    mkdirSync(traps);
    const { slot, head, baseSha } = await diverge(CONFLICT);
    const setTrap = (name: string): string => {
      const path = join(traps, `${name.replace(/[^a-z]+/g, '-')}.sh`);
      writeFileSync(path, `#!/bin/sh\ntouch ${path}.marker\ncat\n`, { mode: 0o755 });
      return path;
    };
    const setTraps = () => {
      mkdirSync(join(slot.path, 'vendored'), { recursive: true });
      for (const vector of Object.values(VECTORS)) vector(slot.path, setTrap);
      const settings = {
        'merge.conflictStyle': 'diff3',
        'merge.renames': 'false',
        'merge.trap.driver': `${setTrap('driver')} %A`,
        'core.attributesFile': join(slot.path, 'attributes'),
        'core.worktree': '/',
      };
      for (const [key, value] of Object.entries(settings))
        git(slot.path, 'config', '--file', join(slot.path, '.git/config'), key, value);
      const attributes = '* merge=trap conflict-marker-size=12\n';
      write(slot.path, { attributes, '.git/info/attributes': attributes, '.gitattributes': attributes });
    };
    setTraps();
    expect(await slot.mergeBase({ head, baseSha })).toMatchObject({ files: [{ path: 'f.txt' }] });
    expect(read(slot, 'f.txt')).toContain('<<<<<<< branch\nours\n=======\ntheirs\n>>>>>>> base\n');
    setTraps();
    write(slot.path, RESOLVED);
    const request = { startSha: head, message: MESSAGE, trailer: TRAILER, mergeParent: baseSha };
    const collected = await slot.collect(request);
    expect(collected.kind === 'collected' && parentsOf(collected.sha)).toEqual([head, baseSha]);
    expect(readdirSync(traps).filter((name) => name.endsWith('.marker'))).toEqual([]);
  });

  it('does not let attributes of the branch or the base choose a merge driver or the conflict markers', async () => {
    const attributes = { '.gitattributes': '*.txt merge=union conflict-marker-size=12\n' };
    const { slot, merged, collect } = await merge({ ...CONFLICT, before: { 'f.txt': LINES, ...attributes } });
    expect(merged.kind).toBe('conflicts');
    expect(read(slot, 'f.txt')).toContain('<<<<<<< branch\n');
    expect(await collect()).toMatchObject({ kind: 'unresolved' });
  });

  it('merges diverged submodules without reading them', async () => {
    const { slot, head } = await diverge({ branch: { 'mine.txt': 'x\n' }, base: {} });
    const link = (sha: string, from: string): string => {
      git(world.clone, 'checkout', '-q', '--detach', from);
      git(world.clone, 'update-index', '--add', '--cacheinfo', `160000,${sha.repeat(20)},sub`);
      git(world.clone, 'commit', '-q', '-m', 'Move');
      return git(world.clone, 'rev-parse', 'HEAD');
    };
    const [branchSha, baseSha] = [link('12', head), link('34', 'main')];
    git(world.clone, 'push', '-q', 'origin', `${branchSha}:${BRANCH}`, `${baseSha}:main`);
    await slot.restore({ branch: BRANCH, startSha: branchSha, baseBranch: 'main' });
    const merged = await slot.mergeBase({ head: branchSha, baseSha });
    expect(merged).toMatchObject({ kind: 'conflicts', files: [{ path: 'sub' }] });
    const request = { startSha: branchSha, message: MESSAGE, trailer: TRAILER, mergeParent: baseSha };
    expect(await slot.collect(request)).toMatchObject({ kind: 'collected' });
  });

  it('bundles no commit that the remote already has', async () => {
    const noise = Array.from({ length: 200_000 }, (_, index) => (index * 2_654_435_761) % 251);
    const { slot, merged, mustCollect } = await merge({
      ...CONFLICT,
      base: {
        ...CONFLICT.base,
        'large.bin': Buffer.from(noise.map((byte, index) => byte ^ ((index >> 3) & 255))),
      },
    });
    expect(merged.kind).toBe('conflicts');
    write(slot.path, RESOLVED);
    const { bundle, sha } = await mustCollect();
    expect(show(sha, 'large.bin').length).toBeGreaterThan(1_000);
    expect(bundle.length).toBeLessThan(2_000);
  });

  it('fails for histories without a common commit', async () => {
    const { slot, head } = await diverge(CONFLICT);
    git(world.clone, 'checkout', '-q', '--orphan', 'fresh');
    const baseSha = change({ 'x.txt': 'x\n' });
    git(world.clone, 'push', '-q', '--force', 'origin', 'fresh:main');
    await slot.restore({ branch: BRANCH, startSha: head, baseBranch: 'main' });
    await expect(slot.mergeBase({ head, baseSha })).rejects.toMatchObject({
      name: 'Failure',
      kind: 'conflict',
    });
  });

  it('throws a Failure if the base is missing', async () => {
    const { slot, head } = await diverge(CONFLICT);
    const merging = slot.mergeBase({ head, baseSha: 'd'.repeat(40) });
    await expect(merging).rejects.toMatchObject({ name: 'Failure', kind: 'unavailable' });
    await expect(slot.mergeBase({ head, baseSha: '--help' })).rejects.toThrow('not a full commit sha');
  });

  it('names the required git version if git is too old', async () => {
    const directory = createTemporaryDirectory();
    const failing = createFailingGit(directory.path);
    const old = makeWorld({ searchPath: failing.searchPath, remoteUrl: world.repo.remoteUrl });
    try {
      const { head, baseSha } = await diverge(CONFLICT);
      const slot = await old.lease();
      await slot.restore({ branch: BRANCH, startSha: head, baseBranch: 'main' });
      failing.fail('merge-tree', 'echo "usage: git merge-tree <base-tree> <b1> <b2>" >&2; exit 129');
      await expect(slot.mergeBase({ head, baseSha })).rejects.toMatchObject({
        kind: 'unavailable',
        message: expect.stringContaining('git 2.38 or newer'),
      });
    } finally {
      await old.remove();
      directory.remove();
    }
  });
});
