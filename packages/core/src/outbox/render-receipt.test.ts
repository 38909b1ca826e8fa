import { renderPullBody } from './render-posts.js';
import { renderPullReceipt } from './render-receipt.js';

const receipt = {
  ...{ agents: ['codex gpt-5'], attempts: 2, inputTokens: 1_234_567, cachedTokens: 1_000_000 },
  ...{ outputTokens: 12_345, costUsd: 1.234, durationMs: 725_000 },
};

describe('renderPullReceipt', () => {
  it('lists every figure', () => {
    expect(renderPullReceipt(receipt)).toBe(
      '_Cost until this pull request: `codex gpt-5`, 2 attempts, 12 minutes, ' +
        '1,234,567 tokens in (1,000,000 from the cache), 12,345 tokens out, $1.23._',
    );
  });

  it('leaves out unknown figures, and says that the cost is unknown', () => {
    const text = renderPullReceipt({
      ...receipt,
      agents: [],
      cachedTokens: null,
      costUsd: null,
      durationMs: null,
    });
    expect(text).toBe(
      '_Cost until this pull request: 2 attempts, 1,234,567 tokens in, 12,345 tokens out, cost unknown._',
    );
  });

  it('stands above the footer, and only if it is wanted', () => {
    const pull = { flow: 'bugfix' as const, issueNumber: 3, summary: 'Fixed.', designDocPath: null };
    const [plain, shown] = [renderPullBody(pull), renderPullBody({ ...pull, receipt })];
    expect(plain).not.toContain('Cost until');
    expect(shown.split('\n\n').at(-2)).toBe(renderPullReceipt(receipt));
    expect(shown.split('\n\n').at(-1)).toBe(plain.split('\n\n').at(-1));
  });
});
