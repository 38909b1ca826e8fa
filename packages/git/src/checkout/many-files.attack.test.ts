import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFailingGit } from '../testing/failing-git.js';
import { makeWorld, TRAILER } from '../testing/world.js';
import { removeSpecialFiles } from './remove-special-files.js';
import { removeUntracked } from './remove-untracked.js';

const COUNT = 30_000;

/** Hard links take no space, so the disk limit does not apply. */
function makeLinks(folder: string, count: number): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'base'), '');
  for (let index = 1; index < count; index += 1) linkSync(join(folder, 'base'), join(folder, `f${index}`));
}

describe('a checkout with a huge number of files', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(realpathSync(tmpdir()), 'mx-'));
    makeLinks(join(dir, 'many'), COUNT);
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  /** Counts how often the event loop could run other work. */
  async function countYields(work: () => Promise<void>): Promise<number> {
    let [yields, ended] = [0, false];
    const count = (): void => {
      yields += 1;
      if (!ended) setImmediate(count);
    };
    setImmediate(count);
    await work();
    ended = true;
    return yields;
  }

  it('lets other work run while MergeXO reads one folder', async () => {
    expect(await countYields(() => removeSpecialFiles(dir, COUNT + 1))).toBeGreaterThan(1);
  });

  it('is refused as soon as the limit is reached', async () => {
    await expect(removeSpecialFiles(dir, COUNT)).rejects.toThrow(`more than ${COUNT} files`);
  });

  it('is not cleaned file by file', async () => {
    const tracked = { entries: new Map(), folders: new Set(['many']) };
    await expect(removeUntracked(dir, tracked, 1_000)).rejects.toThrow('more than 1000 files');
    expect(existsSync(join(dir, 'many/f1'))).toBe(true);
  });
});

describe('a turn that leaves too many files', () => {
  it('fails with the reason, and the next turn gets a new checkout', async () => {
    const world = makeWorld({ limits: { slotFiles: 1_000 } });
    const { slot, head } = await world.start();
    makeLinks(join(slot.path, 'src'), 1_000);
    const request = { startSha: head, message: 'Work', trailer: TRAILER };
    expect(await slot.collect(request)).toMatchObject({
      kind: 'invalid',
      reason: expect.stringContaining('more than 1000 files'),
    });
    await world.releaseAll();
    expect(existsSync(join(slot.path, 'src/f1'))).toBe(false);
    const next = await world.start();
    expect(await next.slot.collect({ ...request, startSha: next.head })).toEqual({ kind: 'empty' });
    await world.remove();
  });
});

describe('a turn that leaves files that git or MergeXO cannot read', () => {
  const request = { message: 'Work', trailer: TRAILER };

  it('fails with the reason if folders are nested beyond the maximum path length', async () => {
    const world = makeWorld();
    const { slot, head: startSha } = await world.start();
    const name = 'd'.repeat(200);
    execFileSync('sh', ['-c', `for i in $(seq 30); do mkdir ${name} && cd -P ${name}; done; touch f`], {
      cwd: slot.path,
    });
    expect(await slot.collect({ ...request, startSha })).toMatchObject({
      kind: 'invalid',
      reason: expect.stringContaining('paths longer than'),
    });
    await world.releaseAll();
    const next = await world.start();
    expect(await next.slot.collect({ ...request, startSha: next.head })).toEqual({ kind: 'empty' });
    await world.remove();
  });

  it('is not treated as an outage and retried when git times out', async () => {
    const dir = mkdtempSync(join(realpathSync(tmpdir()), 'mx-'));
    const failing = createFailingGit(dir);
    const world = makeWorld({ searchPath: failing.searchPath, limits: { localMs: 2_000 } });
    const { slot, head: startSha } = await world.start();
    writeFileSync(join(slot.path, 'x'), '');
    failing.fail('ls-files', 'exec sleep 10');
    await expect(slot.collect({ ...request, startSha })).rejects.toMatchObject({
      kind: 'invalid-data',
      message: expect.stringContaining('the files that the agent left are the likely reason'),
    });
    failing.recover();
    await world.remove();
    rmSync(dir, { recursive: true });
  });
});
