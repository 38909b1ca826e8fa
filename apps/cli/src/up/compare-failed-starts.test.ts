import { compareFailedStarts } from './compare-failed-starts.js';

describe('compareFailedStarts', () => {
  const busy = { reason: 'the port is busy', delayMs: 16_000 };
  const late = { ...busy, delayMs: 30_000 };

  it.each([
    ['new', undefined, busy],
    ['repeated', busy, late],
    ['same', late, late],
    ['new', late, { ...late, reason: 'no password' }],
  ])('returns %s if the previous failure is %j and the current one is %j', (expected, before, now) => {
    expect(compareFailedStarts(before, now)).toBe(expected);
  });
});
