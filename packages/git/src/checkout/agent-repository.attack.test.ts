import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Slot } from '../slot/slot.js';
import { commit, git, write } from '../testing/shell.js';
import { makeWorld, NEW_BRANCH, TRAILER, type World } from '../testing/world.js';

const SETUP = { path: 'setup.sh', content: Buffer.from('#!/bin/sh\n') };

/** Codex runs git in the checkout outside its own sandbox, with the login in its home. */
describe('setup or a test that plants programs in the repository of the agent', () => {
  let world: World;
  let slot: Slot;
  let head: string;
  let evidence: string;
  beforeEach(async () => {
    world = makeWorld();
    ({ slot, head } = await world.start());
    evidence = join(world.dir, 'evidence');
  });
  afterEach(() => world.remove());

  /** Plants programs wherever git looks for them. */
  const plant = (gitDir = join(slot.path, '.git')) => {
    const program = join(world.dir, 'evil.sh');
    writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${evidence}\ncat\n`, { mode: 0o755 });
    const config = `[core]\n\thooksPath = ${world.dir}/hooks\n\tfsmonitor = ${program}\n[filter "evil"]\n\tclean = ${program}\n[diff]\n\texternal = ${program}\n`;
    writeFileSync(join(gitDir, 'config'), config, { flag: 'a' });
    mkdirSync(join(gitDir, 'info'), { recursive: true });
    writeFileSync(join(gitDir, 'info/attributes'), '* filter=evil diff=evil\n');
    for (const directory of [join(gitDir, 'hooks'), join(world.dir, 'hooks')]) {
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, 'post-index-change'), readFileSync(program), { mode: 0o755 });
    }
  };
  /** What an agent's program runs when it starts. */
  const runGit = () => {
    write(slot.path, { 'src/a.txt': 'edited\n' });
    for (const args of [['status'], ['diff'], ['add', '-A'], ['log', '-1']]) git(slot.path, ...args);
  };
  const setUp = (run: () => void) => slot.setUp({ sha: head, program: SETUP }, async () => run());
  const collect = () => slot.collect({ startSha: head, message: 'Work', trailer: TRAILER });

  it('would run them, if MergeXO did not write the repository again', async () => {
    plant();
    runGit();
    expect(existsSync(evidence)).toBe(true);
  });

  it('runs none of them after setup', async () => {
    await setUp(() => {
      plant();
      write(slot.path, { 'made/x': 'x\n' });
      const others = {
        commondir: '../evil\n',
        'objects/info/alternates': '/nonexistent\n',
        'config.worktree': '',
      };
      write(join(slot.path, '.git'), others);
    });
    await slot.prepareAgent();
    runGit();
    expect(existsSync(evidence)).toBe(false);
    expect(git(slot.path, 'config', '--local', 'user.name')).toBe('MergeXO');
    expect(git(slot.path, 'status', '--porcelain')).toBe('M  src/a.txt');
    expect(await collect()).toMatchObject({ files: [{ path: 'src/a.txt' }] });
  });

  it("runs none of them after the tests, and keeps the agent's commits", async () => {
    const own = commit(slot.path, { 'src/c.txt': 'committed\n' });
    write(slot.path, { 'src/b.txt': 'not committed\n' });
    const first = await collect();
    if (first.kind !== 'collected') throw new Error(first.kind);
    await slot.prepareTests(first.sha);
    plant();
    await slot.prepareTests(first.sha);
    await slot.prepareAgent();
    expect(git(slot.path, 'rev-parse', 'HEAD')).toBe(own);
    runGit();
    expect(existsSync(evidence)).toBe(false);
    const second = await collect();
    if (second.kind !== 'collected') throw new Error(second.kind);
    expect(second.files.map(({ path }) => path)).toEqual(['src/a.txt', 'src/b.txt', 'src/c.txt']);
  });

  it.each<[string, (gitDir: string) => void]>([
    ['a link', (gitDir) => symlinkSync(join(world.dir, 'outside'), gitDir)],
    ['a file', (gitDir) => writeFileSync(gitDir, `gitdir: ${join(world.dir, 'outside')}\n`)],
    ['missing, so that git finds a repository in the files', () => {}],
  ])('runs none of them if .git is %s', async (_name, replace) => {
    const gitDir = join(slot.path, '.git');
    // Setup that moves the head is refused, and the agent starts anyway after tests.
    await slot.prepareTests(head);
    plant();
    renameSync(gitDir, join(world.dir, 'outside'));
    git(world.dir, 'clone', '-q', '--bare', world.remote, 'bare');
    plant(join(world.dir, 'bare'));
    for (const name of ['HEAD', 'config', 'objects', 'refs', 'info'])
      renameSync(join(world.dir, 'bare', name), join(slot.path, name));
    replace(gitDir);
    const before = readFileSync(join(world.dir, 'outside/config'), 'utf8');
    await slot.prepareAgent();
    expect(git(slot.path, 'rev-parse', '--git-dir')).toBe('.git');
    expect(git(slot.path, 'config', '--local', '--list')).not.toContain('evil');
    expect(readFileSync(join(world.dir, 'outside/config'), 'utf8')).toBe(before);
  });

  it('writes and removes nothing through a link in place of the objects', async () => {
    const outside = join(world.dir, 'outside');
    write(outside, { 'info/alternates': 'precious\n', 'pack/x': 'precious\n' });
    await setUp(() => {
      rmSync(join(slot.path, '.git/objects'), { recursive: true });
      symlinkSync(outside, join(slot.path, '.git/objects'));
    });
    await slot.prepareAgent();
    expect(readFileSync(join(outside, 'info/alternates'), 'utf8')).toBe('precious\n');
    expect(existsSync(join(outside, 'pack/x'))).toBe(true);
    expect(git(slot.path, 'status', '--porcelain')).toBe('');
  });

  it('runs none of them in a submodule', async () => {
    git(world.clone, 'clone', '-q', world.remote, 'sub');
    git(world.clone, 'add', 'sub');
    head = commit(world.clone, { 'README.md': 'with a submodule\n' });
    git(world.clone, 'push', '-q', 'origin', 'main');
    await slot.restore(NEW_BRANCH);
    await setUp(() => {
      git(slot.path, 'clone', '-q', world.remote, 'sub');
      plant(join(slot.path, 'sub/.git'));
      write(slot.path, { 'sub/src/a.txt': 'edited\n' });
    });
    await slot.prepareAgent();
    runGit();
    expect(existsSync(evidence)).toBe(false);
  });

  it('starts the next turn after a crash while MergeXO wrote the repository', async () => {
    await setUp(plant);
    mkdirSync(join(`${slot.path}.git`, 'objects.old'), { recursive: true });
    rmSync(join(slot.path, '.git'), { recursive: true });
    await slot.restore(NEW_BRANCH);
    runGit();
    expect(existsSync(evidence)).toBe(false);
  });
});
