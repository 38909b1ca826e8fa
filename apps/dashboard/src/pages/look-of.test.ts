import { lookOf } from './look-of.js';

describe('lookOf', () => {
  it.each([
    ['pull_unblocked', 'good'],
    ['pull_blocked', 'bad'],
    ['turn_queued', 'calm'],
  ])('%s is %s', (type, look) => {
    expect(lookOf(type)).toBe(look);
  });
});
