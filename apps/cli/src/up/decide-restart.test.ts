import { decideRestart, type Exit, NO_EXITS } from './decide-restart.js';

describe('decideRestart', () => {
  const decideAll = (exits: readonly Exit[]): (number | 'give-up')[] => {
    let history = NO_EXITS;
    return exits.map((exit) => {
      const decision = decideRestart(history, exit);
      if (decision.kind === 'give-up') return 'give-up';
      history = decision.history;
      return decision.delayMs;
    });
  };
  const killed: Exit = { code: null, uptimeMs: 10_000, wasReady: true };
  const failedToStart: Exit = { code: 1, uptimeMs: 200, wasReady: false };

  it('doubles the delay after each exit, up to 30 seconds', () => {
    const delays = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000];
    expect(decideAll(delays.map(() => killed))).toEqual(delays);
    expect(decideAll(Array.from({ length: 2_000 }, () => killed)).at(-1)).toBe(30_000);
  });

  it('resets the delay after a healthy minute', () => {
    expect(decideAll([killed, killed, { ...failedToStart, uptimeMs: 60_000 }, killed])).toEqual([
      1_000, 2_000, 1_000, 2_000,
    ]);
  });

  it('gives up on a child that fails to start three times in a row', () => {
    expect(decideAll([failedToStart, failedToStart, failedToStart])).toEqual([1_000, 2_000, 'give-up']);
    expect(decideAll([killed, failedToStart, failedToStart, failedToStart]).at(-1)).toBe('give-up');
    const slow = { ...failedToStart, uptimeMs: 20_000 };
    expect(decideAll([failedToStart, slow, slow]).at(-1)).toBe('give-up');
  });

  it('keeps retrying an optional child with a growing delay', () => {
    let history = NO_EXITS;
    const delays = Array.from({ length: 7 }, () => {
      const decision = decideRestart(history, failedToStart, { isOptional: true });
      if (decision.kind === 'give-up') return undefined;
      ({ history } = decision);
      return decision.delayMs;
    });
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it.each<[string, Exit]>([
    ['a kill', killed],
    ['a kill right after the start', { ...killed, uptimeMs: 10, wasReady: false }],
    ['another exit code', { ...failedToStart, code: 7 }],
    ['an exit long after the start', { ...failedToStart, uptimeMs: 30_000 }],
    ['an exit after the child was ready', { ...failedToStart, wasReady: true }],
  ])('does not give up after %s', (_name, exit) => {
    expect(decideAll([failedToStart, failedToStart, exit, failedToStart, failedToStart])).not.toContain(
      'give-up',
    );
    expect(decideAll([exit, exit, exit, exit])).not.toContain('give-up');
  });
});
