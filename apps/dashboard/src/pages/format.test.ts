import { formatCount, formatDuration, formatTime } from './format.js';

describe('figures for people', () => {
  it.each([
    [0, '0s'],
    [-5, '0s'],
    [95_000, '1m 35s'],
    [60_000, '1m'],
    [7_500_000, '2h 5m'],
    [3_600_000, '1h'],
    [273_600_000, '3d 4h'],
  ])('%j ms is %j', (ms, expected) => {
    expect(formatDuration(ms)).toBe(expected);
  });

  it.each([
    [0, '0'],
    [2.5, '2.5'],
    [950, '950'],
    [1_234, '1.2k'],
    [999_900, '1M'],
    [3_400_000, '3.4M'],
  ])('%j is %j', (value, expected) => {
    expect(formatCount(value)).toBe(expected);
  });

  it('writes times in UTC', () => {
    expect(formatTime(0)).toBe('1970-01-01 00:00:00Z');
  });
});
