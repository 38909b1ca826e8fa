import { readdirSync, readFileSync, statSync } from 'node:fs';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { markPathOf, markSecret, matchSecret } from './secret-mark.js';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);

describe('the fingerprint of a secret', () => {
  const pathTo = useTemporaryDirectory();
  const secretPath = () => pathTo('secret');

  it.each([
    ['the same secret', { current: A, older: [] }, 'same'],
    ['the same secret with older keys', { current: A, older: [B] }, 'same'],
    ['a new key before the secret', { current: B, older: [A] }, 'renewed'],
    ['another secret', { current: B, older: [] }, 'foreign'],
    ['several other keys', { current: B, older: ['c'.repeat(64)] }, 'foreign'],
  ] as const)('recognises %s', (_name, secret, expected) => {
    expect(matchSecret(secretPath(), secret)).toBe('unknown');
    markSecret(secretPath(), { current: A, older: [] });
    expect(matchSecret(secretPath(), secret)).toBe(expected);
  });

  it('accepts a renewed key, so that the old key can be removed', () => {
    markSecret(secretPath(), { current: A, older: [] });
    markSecret(secretPath(), { current: B, older: [A] });
    expect(matchSecret(secretPath(), { current: B, older: [] })).toBe('same');
    expect(matchSecret(secretPath(), { current: A, older: [] })).toBe('foreign');
  });

  it('is a private file that does not contain the secret', () => {
    markSecret(secretPath(), { current: A, older: [] });
    expect(readdirSync(pathTo())).toEqual(['secret.fingerprint']);
    expect(statSync(markPathOf(secretPath())).mode & 0o777).toBe(0o600);
    expect(readFileSync(markPathOf(secretPath()), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    expect(readFileSync(markPathOf(secretPath()), 'utf8')).not.toContain(A);
  });
});
