import { WRITES_PER_HOUR } from '@mergexo/core/outbox';
import { openState, type State } from '@mergexo/state';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { createWriteBudget, limitWrites } from './write-budget.js';

const HOUR = 3_600_000;

describe('the write budget', () => {
  const pathTo = useTemporaryDirectory();
  let state: State;
  /** The system clock and the monotonic clock, which starts at 0 in each process. */
  let clock: number;
  let uptime: number;
  beforeEach(() => {
    state = openState(pathTo('state.db'));
    clock = 100 * HOUR;
    uptime = 5;
  });
  afterEach(() => state.close());

  const create = (perHour: number) =>
    createWriteBudget({ state, writesPerHour: () => perHour, now: () => clock, monotonicNow: () => uptime });
  const pass = (ms: number): void => {
    clock += ms;
    uptime += ms;
  };
  const restart = (perHour: number) => {
    uptime = 5;
    return create(perHour);
  };

  it('gives signs half of the budget, and none while posts are sent', () => {
    const budget = create(4);
    const room = () => [budget.isSpent(), budget.hasRoomForSign()];
    expect(room()).toEqual([false, true]);
    budget.notePosting(true);
    expect(room()).toEqual([false, false]);
    budget.notePosting(false);
    for (const expected of [
      [false, true],
      [false, false],
      [false, false],
      [true, false],
    ]) {
      budget.noteWrite();
      expect(room()).toEqual(expected);
    }
    pass(HOUR + 1);
    expect(room()).toEqual([false, true]);
  });

  it('grants no second budget after a restart', () => {
    const before = create(2);
    before.noteWrite();
    pass(HOUR / 2);
    before.noteWrite();
    pass(60_000);
    const after = restart(2);
    expect([after.isSpent(), after.quietMs()]).toEqual([true, 60_000]);
    pass(HOUR / 2);
    expect(after.isSpent()).toBe(false);
    after.noteWrite();
    expect(restart(2).isSpent()).toBe(true);
    expect(state.listGitHubWrites(0)).toHaveLength(2);
  });

  it('does not wait for the system clock after it was set back', () => {
    create(1).noteWrite();
    clock -= 10 * HOUR;
    const budget = restart(1);
    expect(budget.isSpent()).toBe(true);
    pass(HOUR + 1);
    expect(budget.isSpent()).toBe(false);
  });

  it('has no limit for a local GitHub', () => {
    expect(limitWrites('http://127.0.0.1:8080')()).toBe(Number.POSITIVE_INFINITY);
    expect(limitWrites('https://api.github.com')()).toBe(WRITES_PER_HOUR);
  });
});
