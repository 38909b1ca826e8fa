import { formatTime, toPlainText, toReadable } from './to-readable.js';

describe('toPlainText', () => {
  it.each([
    ['**Round 1:** 1 blocking finding.', 'Round 1: 1 blocking finding.'],
    ['__bold__ and *italic*', 'bold and *italic*'],
    ['snake_case__name__', 'snake_casename'],
    ['## Heading', 'Heading'],
    ['<details>\n<summary>More</summary>\n\nText\n</details>', '\nMore\n\nText\n'],
    ['see [the run](https://example.test/1) and ![a picture](x.png)', 'see the run and a picture'],
    ['```suggestion\nlet **a** = 1;\n```\nafter', 'let **a** = 1;\nafter'],
    ['an open ** pair', 'an open  pair'],
    ['', ''],
  ])('%j becomes %j', (markdown, text) => {
    expect(toPlainText(markdown)).toBe(text);
  });
});

describe('toReadable', () => {
  it('shows times with a space and commits with 12 digits', () => {
    const sha = '0123456789abcdef0123456789abcdef01234567';
    expect(toReadable(`until 2026-11-17T04:25:47.123Z, head ${sha}`)).toBe(
      'until 2026-11-17 04:25:47Z, head 0123456789ab',
    );
  });
});

describe('formatTime', () => {
  it('shows the time zone and no milliseconds', () => {
    expect(formatTime(1_763_353_547_123)).toBe('2025-11-17 04:25:47Z');
  });
});
