import { createConfirmations } from './confirmation.js';

describe('createConfirmations', () => {
  let clock = 1_000;
  const confirmations = createConfirmations(() => clock);
  const issued = confirmations.issue('unblock o/n#7');

  it('accepts a confirmation only for its own subject', () => {
    expect(confirmations.isValid('unblock o/n#7', issued)).toBe(true);
  });

  it.each([
    ['another pull request', 'unblock o/n#8', issued],
    ['another request', 'unblock o/n#7', { ...issued, requestId: 'x' }],
    ['a later expiry', 'unblock o/n#7', { ...issued, expiresAt: issued.expiresAt + 1 }],
    ['no token', 'unblock o/n#7', { ...issued, token: '' }],
    ['a wrong token of the same length', 'unblock o/n#7', { ...issued, token: '0'.repeat(64) }],
    [
      'a confirmation from another process',
      'unblock o/n#7',
      createConfirmations(() => clock).issue('unblock o/n#7'),
    ],
  ])('rejects %s', (_name, about, confirmation) => {
    expect(confirmations.isValid(about, confirmation)).toBe(false);
  });

  it('rejects an expired confirmation', () => {
    clock = issued.expiresAt;
    expect(confirmations.isValid('unblock o/n#7', issued)).toBe(false);
  });
});
