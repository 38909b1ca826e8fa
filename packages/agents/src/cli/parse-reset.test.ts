import { measureGrowth } from '@mergexo/testkit';
import { parseReset } from './parse-reset.js';

const NOW = new Date(2026, 10, 16, 6, 0).getTime();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('parseReset', () => {
  it.each<[string, number | undefined]>([
    ['or try again at Nov 18th, 2026 11:06 AM.', new Date(2026, 10, 18, 11, 6).getTime()],
    ['try again at Dec 1st, 2026 12:00 AM.', new Date(2026, 11, 1, 0, 0).getTime()],
    ['try again at 3:45 PM.', new Date(2026, 10, 16, 15, 45).getTime()],
    ['try again at 5:45 AM.', new Date(2026, 10, 17, 5, 45).getTime()],
    ['try again in 2 days 3 hours 5 minutes.', NOW + 51 * HOUR + 5 * MINUTE],
    ['Please try again in 11.054s.', NOW + 11_054],
    ['try again in 250ms', NOW + 250],
    ['try again in 1 minute', NOW + MINUTE],
    ['try again at Nov 18th, 2031 11:06 AM.', undefined],
    ['try again at Nov 1st, 2026 11:06 AM.', undefined],
    ['try again at Foo 99th, 2026 11:06 AM.', undefined],
    ['try again in 999999999 days', undefined],
    ['try again later', undefined],
    ['', undefined],
  ])('finds the expected time in "%s"', (text, expected) => {
    expect(parseReset(text, NOW)).toBe(expected);
  });

  it.each(['try again in 1 ', 'try again in 1s ', 'try again at ', '1s '])(
    'takes linear time for a long text that repeats %j',
    (piece) => {
      const parse = (size: number) => parseReset(piece.repeat(size / piece.length), NOW);
      expect(measureGrowth(parse, { from: 6_000, to: 96_000 })).toBeLessThan(1.6);
    },
  );
});
