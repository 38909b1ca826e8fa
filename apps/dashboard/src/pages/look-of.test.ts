import { lookOf } from './look-of.js';

describe('lookOf', () => {
  it('distinguishes good, bad and neutral events', () => {
    const looks = ['pull_unblocked', 'pull_blocked', 'turn_queued'].map(lookOf);
    expect(looks).toEqual(['good', 'bad', 'calm']);
  });
});
