import { jest } from '@jest/globals';
import { type Config, parseConfig } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import { openState, type State } from '@mergexo/state';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { startTrimming, trimOnce } from './start-trimming.js';

const DAY_MS = 86_400_000;
const NOW = 1_000 * DAY_MS;
const configWith = (keys: string): Config =>
  parseConfig(`[runtime]\n${keys}\n[repo.a]\nowner = "o"\nname = "n"`, { homeDir: '/' });

describe('the deletion of old records', () => {
  const pathTo = useTemporaryDirectory();
  let state: State;
  beforeEach(() => {
    state = openState(pathTo('state.db'));
  });
  afterEach(() => state.close());

  const record = (count: number, daysAgo: number): void =>
    state.transaction(() => {
      for (let index = 0; index < count; index += 1)
        state.recordEvent({ type: 'turn_queued' }, NOW - daysAgo * DAY_MS);
    });
  const left = () => state.listEventsAfter(0, 10_000).length;
  const trim = (keys: string) => trimOnce({ state, now: () => NOW, config: () => configWith(keys) });

  it.each([
    ['90 days by default', '', 2],
    ['retention_days', 'retention_days = 30', 1],
    ['everything with 0', 'retention_days = 0', 3],
  ])('keeps %s', (_name, keys, kept) => {
    for (const days of [91, 89, 1]) record(1, days);
    expect(trim(keys)).toBe(true);
    expect(left()).toBe(kept);
  });

  it('deletes a backlog in batches with pauses, then looks again every hour', async () => {
    jest.useFakeTimers();
    try {
      record(450, 91);
      const tools = { state, now: () => NOW, log: silentLog, config: () => configWith('') };
      const trimming = startTrimming(tools, (error) => {
        throw error;
      });
      const after = async (ms: number): Promise<number> => {
        await jest.advanceTimersByTimeAsync(ms);
        return left();
      };
      expect(await after(0)).toBe(250);
      expect(await after(1_000)).toBe(50);
      expect(await after(1_000)).toBe(0);
      record(1, 91);
      expect(await after(3_500_000)).toBe(1);
      expect(await after(100_000)).toBe(0);
      await trimming.stop();
    } finally {
      jest.useRealTimers();
    }
  });
});
