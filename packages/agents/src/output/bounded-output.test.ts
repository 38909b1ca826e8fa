import fc from 'fast-check';
import { collectAll, collectTail } from './bounded-output.js';

describe('collectTail', () => {
  it('keeps the end of the output, however it is split into chunks, and never exceeds the limit', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 60 })),
        fc.integer({ min: 5, max: 100 }),
        (parts, max) => {
          const { sink, text } = collectTail(max);
          for (const part of parts) expect(sink(Buffer.from(part))).toBe(true);
          const whole = parts.join('');
          expect(text().length).toBeLessThanOrEqual(Math.max(max, 1));
          expect(whole.endsWith(text().replace(/^…/, ''))).toBe(true);
          if (whole.length <= max) expect(text()).toBe(whole);
        },
      ),
    );
  });

  it('drops a character that was cut in half', () => {
    const { sink, text } = collectTail(10);
    sink(Buffer.from(`${'€'.repeat(100)}end`));
    expect(text()).toBe('…€€€€€€end');
  });
});

describe('collectAll', () => {
  it('keeps the whole output up to the limit, and reports when the output exceeds the limit', () => {
    const { sink, text } = collectAll(6);
    expect([sink(Buffer.from('abc')), sink(Buffer.from('def'))]).toEqual([true, true]);
    expect(text()).toBe('abcdef');
    expect(sink(Buffer.from('g'))).toBe(false);
    expect(text()).toBe('');
  });
});
