import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Slot } from '../slot/slot.js';
import { commit, git, write } from '../testing/shell.js';
import { makeWorld, TRAILER, type World } from '../testing/world.js';

describe('collect', () => {
  let world: World;
  beforeAll(() => {
    world = makeWorld({ limits: { slotBytes: 4_000_000, bundleBytes: 1_000_000 } });
  });
  afterEach(() => world.releaseAll());
  afterAll(() => world.remove());

  const collectFrom = (slot: Slot, startSha: string) =>
    slot.collect({ startSha, message: 'Fix the crash\n\nIt crashed.', trailer: TRAILER });
  const trusted = () => join(world.baseDir, 'trusted/acme/app/worker-1.git');

  it('returns `empty` when no file has changed', async () => {
    const { slot, head } = await world.start();
    expect(await collectFrom(slot, head)).toEqual({ kind: 'empty' });
    write(slot.path, { 'ignored/only.txt': 'x\n' });
    expect(await collectFrom(slot, head)).toEqual({ kind: 'empty' });
  });

  it("commits the slot's files with the message, the author and the trailer", async () => {
    const { slot, head } = await world.start();
    write(slot.path, { 'src/a.txt': 'fixed\n', 'ü/new file.txt': 'new\n' });
    rmSync(join(slot.path, 'src/b.txt'));
    const collected = await collectFrom(slot, head);
    if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
    expect(collected.commits).toEqual([collected.sha]);
    expect(collected.files).toEqual([
      { path: 'src/a.txt', status: 'modified' },
      { path: 'src/b.txt', status: 'deleted' },
      { path: 'ü/new file.txt', status: 'added' },
    ]);
    const text = git(trusted(), 'log', '-1', '--format=%an|%ce|%P|%B', collected.sha);
    expect(text).toBe(`MergeXO|mergexo@example.test|${head}|Fix the crash\n\nIt crashed.\n\n${TRAILER}`);
  });

  it.each<[string, (path: string) => void]>([
    ['made by MergeXO', (path) => write(path, { 'src/a.txt': 'fixed\n' })],
    ['made by the agent', (path) => commit(path, { 'src/a.txt': 'fixed\n' }, 'Mine')],
  ])('adds each reference once to a commit %s', async (_name, change) => {
    const { slot, head } = await world.start();
    change(slot.path);
    const references = ['Review: https://github.example/r/1'];
    const message = `Mine\n\n${references[0]}`;
    const collected = await slot.collect({ startSha: head, message, trailer: TRAILER, references });
    if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
    const text = git(trusted(), 'log', '-1', '--format=%B', collected.sha);
    expect(text).toBe(`Mine\n\n${references[0]}\n${TRAILER}`);
  });

  it("keeps the agent's own commits and commits the remaining edits on top", async () => {
    const { slot, head } = await world.start();
    commit(slot.path, { 'src/a.txt': 'step one\n' }, 'Step one');
    git(slot.path, 'repack', '-adq');
    commit(slot.path, { 'src/c.txt': 'step two\n' }, 'Step two');
    write(slot.path, { 'src/b.txt': 'left over\n' });
    const collected = await collectFrom(slot, head);
    if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
    const subjects = collected.commits.map((sha) => git(trusted(), 'log', '-1', '--format=%s', sha));
    expect(subjects).toEqual(['Step one', 'Step two', 'Fix the crash']);
  });

  it('adds the trailer to the last commit if the agent committed everything', async () => {
    const { slot, head } = await world.start();
    commit(slot.path, { 'src/a.txt': 'one and a half\n' }, 'First step');
    commit(slot.path, { 'src/a.txt': 'two\n' }, 'Größe à la carte à');
    const collected = await collectFrom(slot, head);
    if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
    expect(collected.commits).toEqual([expect.any(String), collected.sha]);
    const text = git(trusted(), 'log', '-1', '--format=%an|%B', collected.sha);
    expect(text).toBe(`MergeXO|Größe à la carte à\n\n${TRAILER}`);
    expect((await collectFrom(slot, head)).kind).toBe('collected');
  });

  it.each<[string, (slot: Slot) => void]>([
    ['amend', (slot) => git(slot.path, 'commit', '-q', '--amend', '--allow-empty', '-m', 'Amended')],
    ['reset', (slot) => git(slot.path, 'reset', '-q', '--hard', 'HEAD~1')],
    [
      'rebase',
      (slot) =>
        git(
          slot.path,
          'rebase',
          '-q',
          '--force-rebase',
          'HEAD~1',
          '--exec',
          'git commit -q --allow-empty --amend -m x',
        ),
    ],
    [
      'an orphan branch',
      (slot) => {
        git(slot.path, 'checkout', '-q', '--orphan', 'fresh');
        commit(slot.path, { 'x.txt': 'x\n' });
      },
    ],
    [
      'replaced history',
      (slot) => {
        git(slot.path, 'checkout', '-q', '--orphan', 'fresh');
        const orphan = commit(slot.path, { 'x.txt': 'x\n' });
        git(slot.path, 'replace', '--graft', orphan, 'refs/remotes/origin/main');
      },
    ],
    [
      'grafts',
      (slot) => {
        const start = git(slot.path, 'rev-parse', 'HEAD');
        git(slot.path, 'checkout', '-q', '--orphan', 'fresh');
        const orphan = commit(slot.path, { 'x.txt': 'x\n' });
        write(slot.path, { '.git/info/grafts': `${orphan} ${start}\n` });
      },
    ],
    [
      'a shallow boundary',
      (slot) => {
        const start = git(slot.path, 'rev-parse', 'HEAD');
        git(slot.path, 'reset', '-q', '--hard', 'HEAD~1');
        const other = commit(slot.path, { 'x.txt': 'x\n' });
        write(slot.path, { '.git/shallow': `${start}\n${other}\n` });
      },
    ],
  ])('detects rewritten history: %s', async (_name, rewrite) => {
    commit(world.clone, { 'src/second.txt': 'x\n' }, 'Second');
    git(world.clone, 'push', '-q', 'origin', 'main');
    const { slot, head } = await world.start();
    rewrite(slot);
    const observed = git(slot.path, 'rev-parse', 'HEAD');
    expect(observed).not.toBe(head);
    expect(await collectFrom(slot, head)).toEqual({ kind: 'rewritten', expected: head, observed });
  });

  it.each<[string, (slot: Slot) => void]>([
    ['no repository', (slot) => rmSync(join(slot.path, '.git'), { recursive: true })],
    ['an unborn branch', (slot) => git(slot.path, 'checkout', '-q', '--orphan', 'fresh')],
    [
      'a linked repository',
      (slot) => {
        renameSync(join(slot.path, '.git'), join(world.dir, 'moved'));
        symlinkSync(join(world.dir, 'moved'), join(slot.path, '.git'));
      },
    ],
    [
      'a pointer to a repository',
      (slot) => {
        renameSync(join(slot.path, '.git'), join(world.dir, 'pointed'));
        writeFileSync(join(slot.path, '.git'), `gitdir: ${join(world.dir, 'pointed')}\n`);
      },
    ],
    [
      'a HEAD that points outside the repository',
      (slot) => writeFileSync(join(slot.path, '.git/HEAD'), 'ref: refs/../../../x\n'),
    ],
  ])('rejects a history that it cannot read: %s', async (_name, spoil) => {
    const { slot, head } = await world.start();
    spoil(slot);
    expect(await collectFrom(slot, head)).toEqual({ kind: 'rewritten', expected: head, observed: null });
  });

  it('ignores commits of another repository that the slot borrows objects from', async () => {
    const secret = join(world.dir, 'secret');
    mkdirSync(secret);
    git(secret, 'init', '-q', '-b', 'main');
    git(secret, 'fetch', '-q', world.remote, 'main');
    git(secret, 'reset', '-q', '--hard', 'FETCH_HEAD');
    const stolen = commit(secret, { 'key.txt': 'private\n' });
    const { slot, head } = await world.start();
    const objects = join(slot.path, '.git/objects');
    write(objects, { 'info/alternates': `${join(secret, '.git/objects')}\n` });
    for (const name of [stolen.slice(0, 2)])
      symlinkSync(join(secret, '.git/objects', name), join(objects, name));
    rmSync(join(objects, 'pack'), { recursive: true });
    symlinkSync(join(secret, '.git/objects/pack'), join(objects, 'pack'));
    writeFileSync(join(slot.path, '.git/HEAD'), `${stolen}\n`);
    expect(await collectFrom(slot, head)).toEqual({ kind: 'rewritten', expected: head, observed: stolen });
  });

  it('turns a repository that the agent created inside the slot into plain files', async () => {
    const { slot, head } = await world.start();
    const nested = join(slot.path, 'template');
    mkdirSync(join(nested, 'deeper'), { recursive: true });
    git(nested, 'init', '-q');
    commit(nested, { 'index.js': 'x\n' });
    git(join(nested, 'deeper'), 'init', '-q');
    write(nested, { 'deeper/y.js': 'y\n' });
    const collected = await collectFrom(slot, head);
    expect(collected).toMatchObject({
      kind: 'collected',
      files: [
        { path: 'template/deeper/y.js', status: 'added' },
        { path: 'template/index.js', status: 'added' },
      ],
    });
  });

  it('rejects objects that git reports as broken', async () => {
    const { slot, head } = await world.start();
    const blob = git(slot.path, 'hash-object', '-w', 'README.md');
    const tree = writeForbiddenTree(slot, blob);
    const evil = git(slot.path, 'commit-tree', tree, '-p', head, '-m', 'evil');
    git(slot.path, 'update-ref', 'HEAD', evil);
    expect(await collectFrom(slot, head)).toMatchObject({ kind: 'invalid' });
  });

  it.each<[string, (slot: Slot) => void]>([
    [
      'an invalid pack',
      (slot) => {
        commit(slot.path, { 'src/a.txt': 'x\n' });
        write(slot.path, { [`.git/objects/pack/pack-${'ab'.repeat(20)}.pack`]: 'PACK nonsense' });
      },
    ],
    [
      'a commit whose files are missing',
      (slot) => {
        commit(slot.path, { 'src/a.txt': 'about to vanish\n' });
        const blob = git(slot.path, 'rev-parse', 'HEAD:src/a.txt');
        rmSync(join(slot.path, '.git/objects', blob.slice(0, 2), blob.slice(2)));
      },
    ],
    [
      'a commit without an author',
      (slot) => {
        const [tree, parent] = ['HEAD^{tree}', 'HEAD'].map((name) => git(slot.path, 'rev-parse', name));
        writeFileSync(join(world.dir, 'raw'), `tree ${tree}\nparent ${parent}\n\nx\n`);
        const args = ['hash-object', '-t', 'commit', '-w', '--literally', join(world.dir, 'raw')];
        git(slot.path, 'update-ref', 'HEAD', git(slot.path, ...args));
      },
    ],
  ])('reports %s as invalid', async (_name, spoil) => {
    const { slot, head } = await world.start();
    spoil(slot);
    expect(await collectFrom(slot, head)).toMatchObject({ kind: 'invalid' });
  });

  it('throws a Failure if the mirror lost the start commit', async () => {
    for (const ownCommit of [false, true]) {
      const { slot, head } = await world.start();
      if (ownCommit) commit(slot.path, { 'src/b.txt': 'mine\n' });
      write(slot.path, { 'src/a.txt': 'fixed\n' });
      rmSync(join(world.baseDir, 'repos/acme/app.git'), { recursive: true });
      await expect(collectFrom(slot, head)).rejects.toMatchObject({ name: 'Failure', kind: 'unavailable' });
      await world.releaseAll();
    }
  });

  it('does not accept a tag as HEAD', async () => {
    const { slot, head } = await world.start();
    git(slot.path, 'tag', '-a', 'mine', '-m', 'x');
    const observed = git(slot.path, 'rev-parse', 'mine');
    writeFileSync(join(slot.path, '.git/HEAD'), `${observed}\n`);
    write(slot.path, { 'src/a.txt': 'fixed\n' });
    expect(await collectFrom(slot, head)).toEqual({ kind: 'rewritten', expected: head, observed });
  });

  it('does not follow a slot that was replaced by a link', async () => {
    const { slot, head } = await world.start();
    renameSync(slot.path, join(world.dir, 'elsewhere'));
    symlinkSync(join(world.dir, 'elsewhere'), slot.path);
    write(slot.path, { 'src/a.txt': 'stolen\n' });
    expect(await collectFrom(slot, head)).toEqual({ kind: 'rewritten', expected: head, observed: null });
  });

  const onLinux = process.platform === 'linux' ? it : it.skip;
  onLinux('finds a nested repository whose name is not UTF-8', async () => {
    const { slot, head } = await world.start();
    write(slot.path, { 'plain/x.txt': 'x\n' });
    git(join(slot.path, 'plain'), 'init', '-q');
    git(join(slot.path, 'plain'), 'commit', '-q', '--allow-empty', '-m', 'x');
    renameSync(
      join(slot.path, 'plain'),
      Buffer.concat([Buffer.from(`${slot.path}/odd-`), Buffer.from([255])]),
    );
    const collected = await collectFrom(slot, head);
    if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
    expect(collected.files).toEqual([{ path: 'odd-\ufffd/x.txt', status: 'added' }]);
  });

  it('rejects more changed files than the limit', async () => {
    const { slot, head } = await world.start();
    mkdirSync(join(slot.path, 'many'));
    for (let index = 0; index <= 50_000; index += 1) writeFileSync(join(slot.path, `many/${index}`), '');
    expect(await collectFrom(slot, head)).toMatchObject({ kind: 'too-large' });
  });

  it('rejects a submodule whose URL looks like a command-line option', async () => {
    const { slot, head } = await world.start();
    write(slot.path, { '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = -u./evil\n' });
    expect(await collectFrom(slot, head)).toMatchObject({ kind: 'invalid' });
  });

  it('skips names that other systems would treat as .git, and commits the rest', async () => {
    const { slot, head } = await world.start();
    write(slot.path, {
      'git~1': 'x\n',
      'sub/.GIT/config': 'x\n',
      '.g\u200cit/config': 'x\n',
      'fine.txt': 'x\n',
    });
    const collected = await collectFrom(slot, head);
    expect(collected).toMatchObject({ kind: 'collected', files: [{ path: 'fine.txt', status: 'added' }] });
    expect(world.logged.join()).toContain('cannot be committed');
  });

  it('commits unusual names unchanged', async () => {
    const { slot, head } = await world.start();
    const before = (await slot.listFiles()).length;
    const names = ['--upload-pack=x', '-x', ':(top)y', 'a\nb', '*', '$(id)', '\u202etxt', 'é'];
    write(slot.path, Object.fromEntries(names.map((name) => [name, 'x\n'])));
    const collected = await collectFrom(slot, head);
    if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
    expect(collected.files.map(({ path }) => path).sort()).toEqual([...names].sort());
    await slot.prepareTests(collected.sha);
    expect((await slot.listFiles()).length).toBe(names.length + before);
  });

  it('rejects files that are too large, before reading them', async () => {
    const { slot, head } = await world.start();
    write(slot.path, { 'huge.bin': '' });
    truncateSync(join(slot.path, 'huge.bin'), 20_000_000_000);
    expect(await collectFrom(slot, head)).toEqual({ kind: 'too-large', bytes: 20_000_000_000 });
    rmSync(join(slot.path, 'huge.bin'));
    write(slot.path, { 'noise.bin': randomBytes(2_000_000) });
    expect(await collectFrom(slot, head)).toMatchObject({ kind: 'too-large' });
  });

  it('commits a link as a link', async () => {
    const { slot, head } = await world.start();
    rmSync(join(slot.path, 'src'), { recursive: true });
    symlinkSync('docs', join(slot.path, 'src'));
    const collected = await collectFrom(slot, head);
    if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
    const modes = git(trusted(), 'ls-tree', '-r', '--format=%(objectmode) %(path)', collected.sha).split(
      '\n',
    );
    expect(modes).toEqual(['100644 .gitignore', '100644 README.md', '120000 src']);
    await slot.restore({ branch: 'agent/x', startSha: null, baseBranch: 'main' });
    expect(readFileSync(join(slot.path, 'src/a.txt'), 'utf8')).toBe('one\n');
  });

  function writeForbiddenTree(slot: Slot, blob: string): string {
    const entry = Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]);
    writeFileSync(join(world.dir, 'raw-tree'), entry);
    return git(slot.path, 'hash-object', '-t', 'tree', '-w', '--literally', join(world.dir, 'raw-tree'));
  }
});
