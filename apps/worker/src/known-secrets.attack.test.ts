import { createRedact } from '@mergexo/core/text';
import { createKnownSecrets } from './known-secrets.js';

const PASSWORD = 'redis-canary-0123456789abcdef';
const tokens = (count: number) => Array.from({ length: count }, (_, at) => `token-of-a-login-${at}.`);

describe('an agent whose login has many tokens', () => {
  it.each([
    ['101 tokens at once', [tokens(101)]],
    ['5,000 tokens at once', [tokens(5_000)]],
    ['300 refreshes', tokens(300).map((token) => [token])],
  ])('does not make the worker forget a secret from the settings: %s', (_name, logins) => {
    const redact = createRedact([]);
    const secrets = createKnownSecrets(redact, [PASSWORD]);
    for (const login of logins) secrets.learnTokens(login);
    expect(redact(PASSWORD)).toBe('[redacted]');
    expect(secrets.findSecrets(Buffer.from(PASSWORD))).toHaveLength(1);
    const last = logins.at(-1)?.at(-1) ?? '';
    expect(secrets.findSecrets(Buffer.from(`token-of-a-login-0. and ${last}`))).toHaveLength(1);
  });

  it('does not change the id of a secret that a file already contained', () => {
    const secrets = createKnownSecrets(createRedact([]), []);
    secrets.learnTokens(tokens(100));
    const before = secrets.findSecrets(Buffer.from('token-of-a-login-99.'));
    secrets.learnTokens(['a-new-token-0123456789']);
    expect(secrets.findSecrets(Buffer.from('token-of-a-login-99.'))).toEqual(before);
  });
});
