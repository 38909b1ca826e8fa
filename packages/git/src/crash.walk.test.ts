import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventually, startProgram } from '@mergexo/testkit';
import { git, write } from './testing/shell.js';
import { makeWorld, NEW_BRANCH, TRAILER, type World } from './testing/world.js';

const WORKER = fileURLToPath(new URL('../dist/testing/take-turns.js', import.meta.url));

describe('workers as processes', () => {
  let world: World;
  beforeEach(() => {
    world = makeWorld();
  });
  afterEach(() => world.remove());

  it('never share a slot', async () => {
    const workers = Array.from({ length: 4 }, () => startProgram(WORKER, [world.baseDir, world.remote, '5']));
    await Promise.all(workers.map(({ exited }) => exited));
    for (const worker of workers) {
      expect(worker.output()).toMatch(/finished\n$/);
      expect(worker.output()).not.toMatch(/shared|wrong/);
    }
    const used = workers.flatMap((worker) => worker.output().match(/used worker-\d+/g) ?? []);
    expect(used).toHaveLength(20);
    expect(used.every((text) => Number(text.slice('used worker-'.length)) <= 4)).toBe(true);
  });

  it('can be killed at any time, and the next worker finds usable slots and repositories', async () => {
    const head = git(world.clone, 'rev-parse', 'main');
    for (let round = 0; round < 12; round += 1) {
      const worker = startProgram(WORKER, [world.baseDir, world.remote, '1000']);
      await eventually(() => expect(worker.output()).toContain('started'));
      await sleep(20 + round * 37);
      worker.kill('SIGKILL');
      await worker.exited;
      const slot = await world.lease();
      expect(slot.path).toMatch(/worker-1$/);
      expect(await slot.restore(NEW_BRANCH)).toEqual({ kind: 'ready', head, baseSha: head });
      expect(git(slot.path, 'status', '--porcelain', '--ignored')).toBe('');
      write(slot.path, { 'src/a.txt': `after crash ${round}\n` });
      const collected = await slot.collect({ startSha: head, message: 'x', trailer: TRAILER });
      expect(collected).toMatchObject({
        kind: 'collected',
        files: [{ path: 'src/a.txt', status: 'modified' }],
      });
      const trusted = join(world.baseDir, 'trusted/acme/app/worker-1.git');
      expect(git(trusted, 'fsck', '--full', '--strict')).not.toMatch(/error|missing|broken/);
      expect(readFileSync(join(slot.path, 'src/b.txt'), 'utf8')).toBe('two\n');
      await slot.release();
    }
  });

  it('do not take a slot from a living owner, however long the owner is stopped', async () => {
    const worker = startProgram(WORKER, [world.baseDir, world.remote, '1000']);
    await eventually(() => expect(worker.output()).toContain('used worker-1'));
    worker.kill('SIGSTOP');
    const slots = [await world.lease(), await world.lease()];
    const paths = slots.map(({ path }) => path);
    worker.kill('SIGCONT');
    worker.kill('SIGKILL');
    await worker.exited;
    // The worker may have been stopped between two turns, while its slot was free.
    expect(new Set(paths).size).toBe(2);
  });
});
