import { describeUsage } from './usage.js';

const usage = { inputTokens: 1_234_567, outputTokens: 89, costUsd: 0 };

describe('describeUsage', () => {
  it.each([
    [{}, '1,234,567 tokens in, 89 out'],
    [{ cachedTokens: 1_000 }, '1,234,567 tokens in (1,000 cached), 89 out'],
    [{ cachedTokens: 0, costUsd: 0.004 }, '1,234,567 tokens in (0 cached), 89 out, $0.004'],
    [{ costUsd: 12.345 }, '1,234,567 tokens in, 89 out, $12.35'],
  ])('with %j', (more, text) => {
    expect(describeUsage({ ...usage, ...more })).toBe(text);
  });
});
