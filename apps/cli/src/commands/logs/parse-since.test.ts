import { parseSince } from './parse-since.js';

const NOW = Date.UTC(2026, 1, 3, 4, 5, 6);

describe('parseSince', () => {
  it.each([
    ['90s', NOW - 90_000],
    ['10m', NOW - 600_000],
    ['2h', NOW - 7_200_000],
    ['14d', NOW - 14 * 86_400_000],
    ['2026-02-01T00:00:00Z', Date.UTC(2026, 1, 1)],
  ])('reads %s', (text, expected) => expect(parseSince(text, NOW)).toBe(expected));

  it.each(['', '10', 'm', '-5m', '1.5h', '10 m', 'noon', '12345678m', '2026-99-99'])('rejects %j', (text) =>
    expect(() => parseSince(text, NOW)).toThrow('--since must be a duration'),
  );
});
