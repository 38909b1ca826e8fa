import { findClaimedShas } from './find-claimed-shas.js';

describe('findClaimedShas', () => {
  const whole = 'd'.repeat(40);
  it.each([
    ['fixed in 1a2b3c4.', ['1a2b3c4']],
    ['fixed in `1A2B3C4D`, twice 1a2b3c4d', ['1a2b3c4d']],
    ['https://github.com/a/b/commit/1a2b3c4d5e', ['1a2b3c4d5e']],
    [`see ${whole}`, [whole]],
    ['only letters: defaced, accede, effaced', []],
    ['only digits: 20240101, 1234567', []],
    ['too short: 1a2b3c', []],
    [`too long: ${'1a'.repeat(32)}`, []],
    ['an identifier: 550e8400-e29b-41d4-a716-446655440000', []],
    ['a colour #1a2b3c4d, an address 0x1a2b3c4d, a name x1a2b3c4d_', []],
  ])('in %j, finds %j', (text, expected) => {
    expect(findClaimedShas([text])).toEqual(expected);
  });
});
