import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { commit, git, write } from '../testing/shell.js';
import { BRANCH, makeWorld, TRAILER, type World } from '../testing/world.js';

const LINES = 'one\ntwo\nthree\n';
const BLOCK = '<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> origin/main\n';

describe('findFaults', () => {
  let world: World;
  beforeAll(() => {
    world = makeWorld({ files: { 'f.txt': LINES, 'docs/merging.md': `# Merging\n${BLOCK}` } });
  });
  afterEach(() => world.releaseAll());
  afterAll(() => world.remove());

  const trusted = () => join(world.baseDir, 'trusted/acme/app/worker-1.git');
  const listSubjects = (start: string, sha: string) =>
    git(trusted(), 'log', '--topo-order', '--format=%s', `${start}..${sha}`).split('\n');

  async function start() {
    const { slot, head } = await world.start();
    const collect = () => slot.collect({ startSha: head, message: 'Work', trailer: TRAILER });
    const mustCollect = async () => {
      const collected = await collect();
      if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
      return collected;
    };
    return { slot, head, collect, mustCollect };
  }

  let conflicts = 0;
  /** Creates a branch that conflicts with its base, and restores it in a slot. */
  async function startConflict() {
    git(world.clone, 'checkout', '-q', '-B', BRANCH, 'main');
    const head = commit(world.clone, { 'f.txt': 'one\nours\nthree\n' }, 'Ours');
    git(world.clone, 'checkout', '-q', 'main');
    conflicts += 1;
    const baseSha = commit(world.clone, { 'f.txt': `one\ntheirs ${conflicts}\nthree\n` }, 'Theirs');
    git(world.clone, 'push', '-q', '--force', 'origin', 'main', BRANCH);
    const slot = await world.lease();
    await slot.restore({ branch: BRANCH, startSha: head, baseBranch: 'main' });
    const collect = () => slot.collect({ startSha: head, message: 'Work', trailer: TRAILER });
    expect(() => git(slot.path, 'merge', '-q', 'origin/main')).toThrow();
    return { slot, head, baseSha, collect };
  }

  const MARKED = { kind: 'unresolved', files: [{ path: 'f.txt', reason: 'it still has conflict markers' }] };

  it('refuses a merge commit in which the agent left conflict markers', async () => {
    const { slot, collect } = await startConflict();
    commit(slot.path, {}, 'Merge main');
    expect(await collect()).toEqual(MARKED);
  });

  it('refuses a merge that the agent did not finish', async () => {
    const { slot, collect } = await startConflict();
    expect(await collect()).toMatchObject({ kind: 'unresolved', files: [{ path: 'f.txt' }] });
    write(slot.path, { 'f.txt': LINES });
    expect(await collect()).toEqual({
      kind: 'unresolved',
      files: [{ path: 'f.txt', reason: 'git still lists it as unmerged' }],
    });
    git(slot.path, 'add', 'f.txt');
    git(slot.path, 'commit', '-q', '-m', 'Merge main');
    expect(await collect()).toMatchObject({ kind: 'collected' });
  });

  it('pushes the resolution of a merge, but not the commit with the conflict markers', async () => {
    const { slot, head, baseSha, collect } = await startConflict();
    commit(slot.path, {}, 'Merge main');
    commit(slot.path, { 'f.txt': LINES.replace('two', 'both') }, 'Resolve');
    const collected = await collect();
    if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
    expect(listSubjects(head, collected.sha)).toEqual(['Resolve', 'Theirs']);
    expect(git(trusted(), 'log', '-1', '--format=%P', collected.sha).split(' ')).toEqual([head, baseSha]);
  });

  it.each<[string, string]>([
    ['a whole block', `${LINES}${BLOCK}`],
    ['a block without its first line', 'one\nours\n=======\ntheirs\n>>>>>>> origin/main\n'],
    ['a block without its last line', '<<<<<<< HEAD\nours\n=======\ntheirs\n'],
    ['a block with the common ancestor', '<<<<<<< HEAD\na\n||||||| base\nb\n=======\nc\n>>>>>>> x\n'],
    ['CRLF', BLOCK.replaceAll('\n', '\r\n')],
  ])('refuses conflict markers in files and in commits: %s', async (_name, text) => {
    const { slot, collect } = await start();
    write(slot.path, { 'f.txt': text });
    expect(await collect()).toEqual(MARKED);
    commit(slot.path, {}, 'Mine');
    expect(await collect()).toEqual(MARKED);
    write(slot.path, { 'f.txt': 'resolved\n' });
    expect(await collect()).toMatchObject({ kind: 'collected', commits: [expect.any(String)] });
  });

  it.each<[string, Record<string, string>]>([
    ['an underlined heading', { 'new.md': 'Install\n=======\n\n> quoted\n\nUse\n=======\n' }],
    ['an edit next to an existing example', { 'docs/merging.md': `# How to merge\n${BLOCK}` }],
    ['an edit of an existing example', { 'docs/merging.md': BLOCK.replace('ours', 'yours') }],
    ['a moved example', { 'guide.md': `# Merging\n${BLOCK}`, 'docs/merging.md': 'moved\n' }],
    ['an indented example', { 'new.md': BLOCK.replace(/^/gm, '    ') }],
    ['a binary file', { 'x.bin': `\0${BLOCK}` }],
  ])('accepts %s', async (_name, files) => {
    const { slot, collect } = await start();
    write(slot.path, files);
    expect(await collect()).toMatchObject({ kind: 'collected' });
  });

  it('refuses a new block in a file with an existing example', async () => {
    const { slot, collect } = await start();
    write(slot.path, { 'docs/merging.md': `# Merging\n${BLOCK}${BLOCK.replace('ours', 'mine')}` });
    expect(await collect()).toMatchObject({ kind: 'unresolved', files: [{ path: 'docs/merging.md' }] });
  });

  it('refuses conflict markers in a committed document too', async () => {
    const { slot, head } = await start();
    const file = { path: 'docs/design/7-crash.md', content: BLOCK };
    const collected = await slot.commitFile({ startSha: head, message: 'docs', trailer: TRAILER, ...file });
    expect(collected).toMatchObject({ kind: 'unresolved', files: [{ path: file.path }] });
  });

  it.each<[string, (path: string) => void]>([
    [
      'made by the agent',
      (path) => {
        git(path, 'checkout', '-q', '--orphan', 'fresh');
        commit(path, { 'x.txt': 'x\n' }, 'Another root');
      },
    ],
    ['from another branch', (path) => git(path, 'checkout', '-q', '-b', 'fresh', 'FETCH_HEAD')],
  ])('refuses to merge an unrelated history %s', async (_name, prepare) => {
    git(world.clone, 'checkout', '-q', '--orphan', 'pages');
    commit(world.clone, { 'index.html': 'x\n' }, 'Pages');
    git(world.clone, 'push', '-q', '--force', 'origin', 'pages');
    git(world.clone, 'checkout', '-q', '-f', 'main');
    git(world.clone, 'branch', '-q', '-D', 'pages');
    const { slot, head, collect } = await start();
    git(slot.path, 'fetch', '-q', world.remote, 'pages');
    prepare(slot.path);
    git(slot.path, 'checkout', '-q', '-f', BRANCH);
    git(slot.path, 'merge', '-q', '--allow-unrelated-histories', '-m', 'Join', 'fresh');
    const joined = git(slot.path, 'rev-parse', 'HEAD');
    commit(slot.path, { 'f.txt': 'more\n' }, 'More');
    expect(await collect()).toEqual({
      kind: 'unrelated',
      files: [
        {
          path: `commit ${joined.slice(0, 12)}`,
          reason: 'it merges a history that has no commit in common with the branch',
        },
      ],
    });
    git(slot.path, 'reset', '-q', '--soft', head);
    expect(await collect()).toMatchObject({ kind: 'collected' });
  });

  it.each<[string, Record<string, string>, string[]]>([
    ['an absolute path', { link: '/etc/passwd' }, ['link']],
    ['the parent of the repository', { 'docs/link': '../../x' }, ['docs/link']],
    ['the parent, through another link', { 'a/b/up': '../..', out: 'a/b/up/../x' }, ['out']],
    ['an absolute path, through another link', { abs: '/etc', in: 'abs/passwd' }, ['abs', 'in']],
    ['git\u2019s own directory', { link: '.git/config' }, ['link']],
  ])('refuses a link to %s', async (_name, links, refused) => {
    const { slot, collect } = await start();
    for (const [path, target] of Object.entries(links)) {
      mkdirSync(join(slot.path, path, '..'), { recursive: true });
      symlinkSync(target, join(slot.path, path));
    }
    const reason = expect.stringContaining('outside the repository');
    const expected = { kind: 'escaping', files: refused.map((path) => ({ path, reason })) };
    expect(await collect()).toEqual(expected);
    commit(slot.path, {}, 'Mine');
    expect(await collect()).toEqual(expected);
    for (const path of refused) rmSync(join(slot.path, path));
    write(slot.path, { 'f.txt': 'x\n' });
    expect(await collect()).toMatchObject({ kind: 'collected', commits: [expect.any(String)] });
  });

  it('accepts links inside the repository, and existing links', async () => {
    symlinkSync('/etc/hostname', join(world.clone, 'old'));
    commit(world.clone, {}, 'Old link');
    git(world.clone, 'push', '-q', 'origin', 'main');
    const { slot, mustCollect } = await start();
    mkdirSync(join(slot.path, 'a/b'), { recursive: true });
    symlinkSync('../../f.txt', join(slot.path, 'a/b/inside'));
    symlinkSync('loop', join(slot.path, 'loop'));
    symlinkSync('missing/file', join(slot.path, 'dangling'));
    const { files } = await mustCollect();
    expect(files.map(({ path }) => path)).toEqual(['a/b/inside', 'dangling', 'loop']);
  });

  it('gives every commit our author and a cleaned message', async () => {
    const { slot, head } = await start();
    commit(slot.path, { 'f.txt': 'x\n' }, 'Fix @someone');
    commit(slot.path, { 'f.txt': 'y\n' }, 'Größe @someone');
    write(slot.path, { 'f.txt': 'z\n' });
    const collected = await slot.collect({
      startSha: head,
      message: 'Rest',
      trailer: TRAILER,
      cleanMessage: (text) => text.replaceAll('@', '(at)'),
    });
    if (collected.kind !== 'collected') throw new Error(JSON.stringify(collected));
    const author = 'MergeXO <mergexo@example.test>';
    expect(
      git(trusted(), 'log', '--format=%an <%ae>|%cn <%ce>|%s', `${head}..${collected.sha}`).split('\n'),
    ).toEqual(
      ['Rest', 'Größe (at)someone', 'Fix (at)someone'].map((subject) => `${author}|${author}|${subject}`),
    );
    expect(collected.commits).toHaveLength(3);
  });
});
