import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTemporaryDirectory, startProgram } from '@mergexo/testkit';
import { tryClaim, withClaim } from './claim.js';

const TAKER = fileURLToPath(new URL('../../dist/testing/take-claims.js', import.meta.url));
const RIVAL = fileURLToPath(new URL('../../dist/testing/race-claims.js', import.meta.url));

describe('a claim', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let dir: string;
  beforeEach(() => {
    directory = createTemporaryDirectory();
    dir = join(directory.path, 'claim');
  });
  afterEach(() => directory.remove());

  it('has one holder at a time, and is free after its release', () => {
    const claim = tryClaim(dir);
    expect(claim?.afterCrash).toBe(false);
    expect(tryClaim(dir)).toBeUndefined();
    claim?.release();
    expect(tryClaim(dir)?.afterCrash).toBe(false);
  });

  it('can be taken after its owner died, even if another process reuses the pid', () => {
    mkdirSync(dir);
    symlinkSync(`${process.pid} started-long-ago`, join(dir, '7'));
    const claim = tryClaim(dir);
    expect(claim?.afterCrash).toBe(true);
    expect(readdirSync(dir)).toContain('8');
  });

  it('refuses a claimant that paused after reading an old entry', () => {
    for (let round = 0; round < 20; round += 1) tryClaim(dir)?.release();
    const numbers = readdirSync(dir).map(Number);
    // A claimant that paused in the first round would write the number 2, which is free but older than the newest.
    expect(Math.min(...numbers)).toBeGreaterThan(2);
    symlinkSync('1 sleeper', join(dir, '2'));
    const claim = tryClaim(dir);
    expect(claim?.afterCrash).toBe(false);
    expect(numbers.length).toBeLessThan(20);
  });

  it('keeps others waiting until its release, their time limit or a stop', async () => {
    const claim = tryClaim(dir);
    const wait = { action: 'waiting', limitMs: 50 };
    await expect(withClaim(dir, wait, async () => 1)).rejects.toMatchObject({ kind: 'timed-out' });
    const stopped = { ...wait, signal: AbortSignal.abort() };
    await expect(withClaim(dir, stopped, async () => 1)).rejects.toMatchObject({ kind: 'timed-out' });
    const waiting = withClaim(dir, { action: 'waiting', limitMs: 5_000 }, async () => 2);
    claim?.release();
    expect(await waiting).toBe(2);
  });

  it('goes to exactly one of several processes that find its owner dead at the same time', async () => {
    const indexes = Array.from({ length: 300 }, (_, index) => index);
    for (const index of indexes) {
      mkdirSync(join(directory.path, `dead-${index}`));
      symlinkSync('1 dead', join(directory.path, `dead-${index}`, '1'));
    }
    const startAt = String(Date.now() + 1_000);
    const rivals = Array.from({ length: 3 }, () =>
      startProgram(RIVAL, [directory.path, '300', '3', startAt]),
    );
    await Promise.all(rivals.map(({ exited }) => exited));
    expect(rivals.map((rival) => rival.output()).join('')).toBe('');
    const winners = indexes.map((index) => readFileSync(join(directory.path, `won-${index}`), 'utf8'));
    expect(winners.filter((text) => text !== '.')).toEqual([]);
  });

  it('never has two holders when many processes claim it, die while holding it and restart', async () => {
    let seed = 0;
    const keepRunning = async (): Promise<void> => {
      for (let start = 0; start < 5; start += 1) {
        seed += 1;
        const program = startProgram(TAKER, [directory.path, '150', String(seed * 7_919)]);
        await program.exited;
        expect(program.output()).toBe('');
      }
    };
    await Promise.all(Array.from({ length: 4 }, keepRunning));
    const violations = join(directory.path, 'violations');
    expect(existsSync(violations) ? readFileSync(violations, 'utf8') : '').toBe('');
    expect(readFileSync(join(directory.path, 'taken'), 'utf8').length).toBeGreaterThan(200);
  });
});
