import { decideRestart, type Life, NO_DEATHS } from './decide-restart.js';

describe('decideRestart', () => {
  const live = (lives: readonly Life[]): (number | 'give-up')[] => {
    let past = NO_DEATHS;
    return lives.map((life) => {
      const decision = decideRestart(past, life);
      if (decision.kind === 'give-up') return 'give-up';
      past = decision.past;
      return decision.delayMs;
    });
  };
  const killed: Life = { code: null, livedMs: 10_000, wasReady: true };
  const refused: Life = { code: 1, livedMs: 200, wasReady: false };

  it('doubles the delay after each exit, up to 30 seconds', () => {
    const delays = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000];
    expect(live(delays.map(() => killed))).toEqual(delays);
    expect(live(Array.from({ length: 2_000 }, () => killed)).at(-1)).toBe(30_000);
  });

  it('resets the delay after a healthy minute', () => {
    expect(live([killed, killed, { ...refused, livedMs: 60_000 }, killed])).toEqual([
      1_000, 2_000, 1_000, 2_000,
    ]);
  });

  it('gives up on a child that fails to start three times in a row', () => {
    expect(live([refused, refused, refused])).toEqual([1_000, 2_000, 'give-up']);
    expect(live([killed, refused, refused, refused]).at(-1)).toBe('give-up');
    const slow = { ...refused, livedMs: 20_000 };
    expect(live([refused, slow, slow]).at(-1)).toBe('give-up');
  });

  it('keeps retrying an optional child with a growing delay', () => {
    let past = NO_DEATHS;
    const delays = Array.from({ length: 7 }, () => {
      const decision = decideRestart(past, refused, { isOptional: true });
      if (decision.kind === 'give-up') return undefined;
      ({ past } = decision);
      return decision.delayMs;
    });
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it.each<[string, Life]>([
    ['a kill', killed],
    ['a kill right after the start', { ...killed, livedMs: 10, wasReady: false }],
    ['another exit code', { ...refused, code: 7 }],
    ['an exit long after the start', { ...refused, livedMs: 30_000 }],
    ['an exit after it was ready', { ...refused, wasReady: true }],
  ])('does not give up after %s', (_name, life) => {
    expect(live([refused, refused, life, refused, refused])).not.toContain('give-up');
    expect(live([life, life, life, life])).not.toContain('give-up');
  });
});
