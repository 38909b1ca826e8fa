import { randomBytes } from 'node:crypto';
import type { RedisTarget } from '@mergexo/queue';
import fc from 'fast-check';
import { checkLedger } from './check-ledger.js';
import { play, schedule } from './ledger-schedule.js';
import { type Bug, createWorld } from './ledger-world.js';

export type Result = { runs: number; failed: boolean; report: string; blocked: number; done: number };

/** Runs random schedules, each with a new state and its own Redis prefix. The same seed repeats the same schedules. */
export async function runSchedules(options: {
  target: RedisTarget;
  runs: number;
  seed: number;
  bug?: Bug;
}): Promise<Result> {
  const { target, runs, seed, bug } = options;
  const tally = { blocked: 0, done: 0 };
  const property = fc.asyncProperty(schedule, async ({ turns, ops }) => {
    const prefix = `c${randomBytes(4).toString('hex')}`;
    const world = await createWorld({ target, turns, prefix, ...(bug && { bug }) });
    try {
      await play(world, ops);
      const problems = checkLedger(world);
      for (const turnKey of world.turnKeys) {
        tally[world.readTurn(turnKey)?.state === 'done' ? 'done' : 'blocked'] += 1;
      }
      if (problems.length > 0) throw new Error(problems.join('\n'));
    } finally {
      await world.flush();
      await world.close();
    }
  });
  const details = await fc.check(property, { numRuns: runs, seed, ...(bug && { endOnFailure: true }) });
  const report = details.failed ? `${details.errorInstance}\n${fc.defaultReportMessage(details)}` : '';
  return { runs: details.numRuns, failed: details.failed, report, ...tally };
}
