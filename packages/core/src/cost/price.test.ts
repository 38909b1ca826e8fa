import { computeCost } from './price.js';

const used = { inputTokens: 1_000_000, cachedTokens: null, outputTokens: 0, costUsd: 0, model: 'm' };
const prices = new Map([
  ['m', { input: 2, cachedInput: 0.2, output: 8 }],
  ['plain', { input: 2, output: 8 }],
]);

describe('computeCost', () => {
  it.each<[Partial<Parameters<typeof computeCost>[0]>, number, string | null]>([
    [{}, 2, 'prices'],
    [{ outputTokens: 500_000 }, 6, 'prices'],
    [{ cachedTokens: 500_000 }, 1.1, 'prices'],
    [{ cachedTokens: 500_000, model: 'plain' }, 2, 'prices'],
    [{ cachedTokens: 9_000_000 }, 0.2, 'prices'],
    [{ costUsd: 0.5 }, 0.5, 'agent'],
    [{ model: 'other' }, 0, null],
    [{ model: null }, 0, null],
    [{ inputTokens: 0 }, 0, null],
  ])('with %j returns %d from %s', (more, costUsd, costSource) => {
    expect(computeCost({ ...used, ...more }, prices)).toEqual({
      costUsd: expect.closeTo(costUsd),
      costSource,
    });
  });
});
