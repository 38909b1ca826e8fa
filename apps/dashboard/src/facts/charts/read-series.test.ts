import { join } from 'node:path';
import { createState, openDatabase } from '@mergexo/state';
import { aTurn, createTemporaryDirectory } from '@mergexo/testkit';
import fc from 'fast-check';
import { DAY_MS } from '../start-of-day.js';
import { computeWaiting } from './compute-waiting.js';
import { median } from './median.js';
import { readSeries } from './read-series.js';

const HOUR_MS = DAY_MS / 24;
const NOW = 20_000 * DAY_MS + DAY_MS / 2;

describe('the series of the charts', () => {
  it.each([
    [[], null],
    [[3], 3],
    [[9, 1, 2], 2],
    [[4, 1, 2, 9], 3],
  ])('computes the median of %j as %j', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('counts the most turns that waited at the same time in each step', () => {
    const steps = [0, 1, 2, 3].map((hour) => hour * HOUR_MS);
    const from = [2.5, 2, -1, 2].map((hour) => hour * HOUR_MS);
    const to = [2.7, 0.5, 2.5].map((hour) => hour * HOUR_MS);
    expect(computeWaiting({ from, to }, { steps, stepMs: HOUR_MS })).toEqual([1, 0, 2, 1]);
  });

  it('computes the same maximum as a count at every moment would give', () => {
    const hours = fc.array(fc.integer({ min: -3, max: 12 }), { maxLength: 12 });
    fc.assert(
      fc.property(hours, hours, (opened, lengths) => {
        const from = opened.map((hour) => hour * HOUR_MS);
        const to = from.flatMap((at, index) => {
          const length = lengths[index];
          return length === undefined ? [] : [at + Math.abs(length) * (HOUR_MS / 2)];
        });
        const steps = [0, 2, 4, 6].map((hour) => hour * HOUR_MS);
        const depthAt = (time: number): number =>
          from.filter((at) => at <= time).length - to.filter((at) => at <= time).length;
        const expected = steps.map((start) =>
          Math.max(
            depthAt(start),
            ...from.filter((at) => at > start && at < start + 2 * HOUR_MS).map(depthAt),
          ),
        );
        expect(computeWaiting({ from, to }, { steps, stepMs: 2 * HOUR_MS })).toEqual(expected);
      }),
    );
  });

  it('counts a turn with two failed attempts and a block as one failure, and as waiting until its first attempt', () => {
    const directory = createTemporaryDirectory();
    const database = openDatabase(join(directory.path, 'state.db'));
    const state = createState(database);
    try {
      state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
      const [one, other] = [aTurn(), aTurn({ openedAt: NOW - 30 * DAY_MS })];
      state.recordTurn(other, {});
      const tell = (type: Parameters<typeof state.recordEvent>[0]['type'], turnKey: string, at: number) =>
        state.recordEvent({ type, turnKey }, at);
      tell('turn_opened', one.turnKey, NOW - 3 * HOUR_MS);
      for (const at of [NOW - 2 * HOUR_MS, NOW - HOUR_MS]) {
        tell('turn_begun', one.turnKey, at);
        tell('turn_failed', one.turnKey, at);
      }
      tell('turn_blocked', one.turnKey, NOW - HOUR_MS);
      tell('turn_completed', 'x', NOW - DAY_MS);
      const spent = { repoId: 1, runId: null, attempt: 1, inputTokens: 5, outputTokens: 1 };
      state.recordSpend({ ...spent, turnKey: one.turnKey, costUsd: 2 }, NOW - HOUR_MS);
      const facts = { state, sqlite: database.sqlite };
      const days = readSeries(facts, { range: 'days', now: NOW });
      expect(days.steps).toHaveLength(14);
      expect(days.turns.slice(-2)).toEqual([
        { done: 1, failed: 0 },
        { done: 0, failed: 1 },
      ]);
      expect([days.waiting.slice(-2), days.costUsd.slice(-2)]).toEqual([
        [1, 2],
        [0, 2],
      ]);
      const hours = readSeries(facts, { range: 'hours', now: NOW });
      expect([hours.waiting.slice(-4), hours.tokens.slice(-2)]).toEqual([
        [2, 1, 1, 1],
        [6, 0],
      ]);
      expect(readSeries(facts, { range: 'weeks', now: NOW }).turns.at(-1)).toEqual({ done: 1, failed: 1 });
    } finally {
      state.close();
      directory.remove();
    }
  });
});
