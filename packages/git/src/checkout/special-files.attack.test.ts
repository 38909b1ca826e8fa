import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createFailingGit } from '../testing/failing-git.js';
import { write } from '../testing/shell.js';
import { makeWorld, TRAILER, type World } from '../testing/world.js';

const FILES = {
  'f.txt': 'one\n',
  'sub/a.txt': 'one\n',
  '.gitattributes': '* text=auto\n',
  '.gitignore': 'ignored/\n',
  'sub/.gitattributes': '* text\n',
  'sub/.gitignore': 'x\n',
};

function makePipe(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  execFileSync('mkfifo', [path]);
}

describe('in a slot where the agent left a pipe, a socket or a link, MergeXO', () => {
  let world: World;
  beforeAll(() => {
    world = makeWorld({ files: FILES, limits: { localMs: 4_000 } });
  });
  afterEach(() => world.releaseAll());
  afterAll(() => world.remove());

  /** Runs a turn with changed files, and then the start of the next turn. */
  async function runTurns(attack: (slot: string) => void) {
    const { slot, head } = await world.start();
    attack(slot.path);
    write(slot.path, { 'f.txt': 'agent\n', 'sub/a.txt': 'agent\n' });
    const listed = await slot.listFiles();
    const collected = await slot.collect({ startSha: head, message: 'Work', trailer: TRAILER });
    attack(slot.path);
    await world.releaseAll();
    const next = await world.start();
    return { listed, collected, next: next.slot.path };
  }

  it.each([
    '.gitattributes',
    '.gitignore',
    'sub/.gitattributes',
    'sub/.gitignore',
    'sub/pipe',
    'new/.gitattributes',
    'new/.gitignore',
    'new/deep/.gitignore',
    'ignored/.gitignore',
    'ignored/pipe',
  ])('works if %s is a pipe, and removes the pipe', async (name) => {
    const { listed, collected, next } = await runTurns((slot) => makePipe(join(slot, name)));
    expect(listed).toContain('sub/a.txt');
    expect(collected.kind).toBe('collected');
    expect(lstatSync(join(next, name), { throwIfNoEntry: false })?.isFIFO() ?? false).toBe(false);
    expect(readFileSync(join(next, 'f.txt'), 'utf8')).toBe('one\n');
  });

  it.each(['000', '300', '500'])('finds a pipe in a folder with mode %s', async (mode) => {
    const { collected, next } = await runTurns((slot) => {
      rmSync(join(slot, 'new'), { recursive: true, force: true });
      makePipe(join(slot, 'new/.gitattributes'));
      makePipe(join(slot, 'new/.gitignore'));
      chmodSync(join(slot, 'new'), mode);
    });
    expect(collected.kind).toBe('collected');
    expect(existsSync(join(next, 'new'))).toBe(false);
  });

  it.each(['.gitattributes', '.gitignore'])('does not follow a link called %s to a pipe', async (name) => {
    const outside = join(world.dir, `pipe-${name}`);
    makePipe(outside);
    const { next } = await runTurns((slot) => {
      rmSync(join(slot, name), { force: true });
      symlinkSync(outside, join(slot, name));
    });
    expect(lstatSync(outside).isFIFO()).toBe(true);
    expect(readFileSync(join(next, name), 'utf8')).toBe(FILES[name as keyof typeof FILES]);
  });

  it('removes a socket called .gitattributes', async () => {
    const { slot, head } = await world.start();
    rmSync(join(slot.path, '.gitattributes'));
    const server = await listen(join(slot.path, '.gitattributes'));
    const collected = await slot.collect({ startSha: head, message: 'Work', trailer: TRAILER });
    await new Promise((done) => server.close(done));
    expect(collected.kind).toBe('collected');
  });

  const listen = (path: string): Promise<Server> =>
    new Promise((done) => {
      const server: Server = createServer().listen(path, () => done(server));
    });
});

describe('a slot in which git takes too long', () => {
  it('is removed and checked out again, even if MergeXO did not find the reason', async () => {
    const bin = mkdtempSync(join(realpathSync(tmpdir()), 'mx-bin-'));
    const failing = createFailingGit(bin);
    const world = makeWorld({ limits: { localMs: 1_500 }, searchPath: failing.searchPath });
    const { slot } = await world.start();
    await world.releaseAll();
    write(slot.path, { trap: 'x' });
    failing.fail('read-tree', `[ -f "${slot.path}/README.md" ] && sleep 5`);
    await world.start();
    expect(world.logged.join()).toContain('the slot is damaged; MergeXO checks it out again');
    expect(existsSync(join(slot.path, 'trap'))).toBe(false);
    failing.recover();
    await world.remove();
    rmSync(bin, { recursive: true });
  });
});
