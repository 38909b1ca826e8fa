import { findLatest } from './read-carrier.js';

describe('findLatest', () => {
  const key = 'a'.repeat(64);
  const other = 'b'.repeat(64);
  it('takes the last word of the last attempt, by number and not by letter', () => {
    const ids = [
      `progress-${key}-1-12`,
      `progress-${key}-2-9`,
      `progress-${key}-2-10`,
      `progress-${other}-3-1`,
      `finish-${key}-4`,
      'progress-x-9-9',
    ];
    expect(findLatest(ids, key)).toBe(`progress-${key}-2-10`);
    expect(findLatest(ids, 'c'.repeat(64))).toBeUndefined();
  });
});
