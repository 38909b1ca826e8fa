import { join } from 'node:path';
import { createState, openDatabase } from '@mergexo/state';
import { aTurn, createTemporaryDirectory } from '@mergexo/testkit';
import { computeDepth, DAY_MS, median, readPast } from './read-history.js';

describe('the history', () => {
  it.each([
    [[], null],
    [[3], 3],
    [[9, 1, 2], 2],
    [[4, 1, 2, 9], 3],
  ])('computes the median of %j as %j', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('counts the waiting turns at each moment of the last day', () => {
    const now = 10 * DAY_MS;
    const hour = DAY_MS / 24;
    const depth = computeDepth(
      [
        { from: now - 30 * hour, to: now - 23 * hour },
        { from: now - 2 * hour, to: now - hour },
        { from: now - 2 * hour, to: null },
      ],
      now,
    );
    expect(depth).toHaveLength(97);
    expect(depth.filter(({ waiting }) => waiting === 2)).toHaveLength(4);
    expect([depth[0]?.waiting, depth[4]?.waiting, depth.at(-1)?.waiting]).toEqual([1, 0, 1]);
  });

  it('counts a turn with two failed attempts and a block as one failure, and as waiting until its first attempt', () => {
    const directory = createTemporaryDirectory();
    const database = openDatabase(join(directory.path, 'state.db'));
    const state = createState(database);
    try {
      const now = 20_000 * DAY_MS + DAY_MS / 2;
      const hour = DAY_MS / 24;
      state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
      const [one, other] = [aTurn(), aTurn({ openedAt: now - 3 * DAY_MS })];
      state.recordTurn(other, {});
      const tell = (type: Parameters<typeof state.recordEvent>[0]['type'], turnKey: string, at: number) =>
        state.recordEvent({ type, turnKey }, at);
      tell('turn_opened', one.turnKey, now - 3 * hour);
      tell('turn_begun', one.turnKey, now - 2 * hour);
      tell('turn_failed', one.turnKey, now - 2 * hour);
      tell('turn_begun', one.turnKey, now - hour);
      tell('turn_failed', one.turnKey, now - hour);
      tell('turn_blocked', one.turnKey, now - hour);
      tell('turn_completed', 'x', now - DAY_MS);
      const { turns, depth } = readPast({ state, sqlite: database.sqlite }, now);
      expect(turns.slice(-2)).toEqual([
        { done: 1, failed: 0 },
        { done: 0, failed: 1 },
      ]);
      const waited = depth.filter(({ waiting }) => waiting === 2);
      expect([waited.length, waited[0]?.at, depth.at(-1)?.waiting]).toEqual([4, now - 3 * hour, 1]);
    } finally {
      state.close();
      directory.remove();
    }
  });
});
