import { decideRetry } from './decide-retry.js';

describe('decideRetry', () => {
  it.each([
    ['crash', 1, { kind: 'again', delayMs: 0 }],
    ['crash', 2, { kind: 'again', delayMs: 30_000 }],
    ['crash', 3, { kind: 'blocked', reason: 'the worker crashed 3 times' }],
    ['agent', 1, { kind: 'again', delayMs: 30_000 }],
    ['agent', 2, { kind: 'again', delayMs: 60_000 }],
    ['agent', 3, { kind: 'blocked', reason: 'the agent failed 3 times' }],
    ['unusable', 1, { kind: 'blocked', reason: "the agent's answer could not be used" }],
    ['infrastructure', 1, { kind: 'again', delayMs: 0 }],
    ['infrastructure', 2, { kind: 'again', delayMs: 5_000 }],
    ['infrastructure', 4, { kind: 'again', delayMs: 20_000 }],
    ['infrastructure', 19, { kind: 'again', delayMs: 300_000 }],
    [
      'infrastructure',
      20,
      { kind: 'blocked', reason: 'an infrastructure failure stopped the turn 20 times' },
    ],
  ] as const)('after a failure of kind %s with the count %d, decides %j', (kind, count, expected) => {
    expect(decideRetry(kind, count)).toEqual(expected);
  });
});
