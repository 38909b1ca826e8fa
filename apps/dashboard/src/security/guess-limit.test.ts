import { createGuessLimit, GUESSES_AT_ONCE, toClient } from './guess-limit.js';

describe('createGuessLimit', () => {
  const guessUntilBlocked = () => {
    const clock = { ms: 1_000 };
    const limit = createGuessLimit(() => clock.ms);
    for (let guess = 0; guess < GUESSES_AT_ONCE; guess += 1) {
      expect(limit.waitMs('ada')).toBe(0);
      limit.countWrong('ada');
    }
    return { clock, limit };
  };

  it('blocks a client after ten wrong passwords, and no other client', () => {
    const { limit } = guessUntilBlocked();
    expect(limit.waitMs('ada')).toBe(6_000);
    expect(limit.waitMs('bob')).toBe(0);
  });

  it('allows one more guess per interval', () => {
    const { clock, limit } = guessUntilBlocked();
    clock.ms += 6_000;
    expect(limit.waitMs('ada')).toBe(0);
    limit.countWrong('ada');
    expect(limit.waitMs('ada')).toBe(6_000);
  });

  it('restores the whole budget after a minute', () => {
    const { clock, limit } = guessUntilBlocked();
    clock.ms += 60_000;
    for (let guess = 1; guess < GUESSES_AT_ONCE; guess += 1) limit.countWrong('ada');
    expect(limit.waitMs('ada')).toBe(0);
  });

  it('forgets the oldest clients when there are too many', () => {
    const { limit } = guessUntilBlocked();
    for (let client = 0; client < 10_000; client += 1) limit.countWrong(`client ${client}`);
    expect(limit.waitMs('ada')).toBe(0);
  });
});

describe('toClient', () => {
  it.each([
    ['10.1.2.3', '10.1.2.3'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::6', '2001:db8:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', ':0:0:0'],
    [undefined, ''],
  ])('groups the address %s under %s', (address, client) => {
    expect(toClient(address)).toBe(client);
  });
});
