import { formatAge, formatCount, formatDuration, formatTime } from './format.js';

describe('the formatter', () => {
  it.each([
    [0, '0s'],
    [-5, '0s'],
    [95_000, '1m 35s'],
    [60_000, '1m'],
    [7_500_000, '2h 5m'],
    [3_600_000, '1h'],
    [273_600_000, '3d 4h'],
  ])('formats %j ms as %j', (ms, expected) => {
    expect(formatDuration(ms)).toBe(expected);
  });

  it.each([
    [-5_000, 'just now'],
    [59_000, 'just now'],
    [60_000, '1m ago'],
    [7_500_000, '2h ago'],
  ])('formats an age of %j ms as %j', (ms, expected) => {
    expect(formatAge(ms)).toBe(expected);
  });

  it('shortens large counts', () => {
    const counts = [0, 2.5, 950, 1_234, 999_900, 3_400_000].map(formatCount);
    expect(counts).toEqual(['0', '2.5', '950', '1.2k', '1M', '3.4M']);
  });

  it('formats times in UTC', () => {
    expect(formatTime(0)).toBe('1970-01-01 00:00:00Z');
  });
});
