import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markPathOf, markSecret, matchSecret } from './secret-mark.js';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);

describe('the mark of a secret', () => {
  let directory: string;
  let path: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'mx-mark-'));
    path = join(directory, 'secret');
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it.each([
    ['the same', { current: A, older: [] }, 'same'],
    ['the same with others behind it', { current: A, older: [B] }, 'same'],
    ['a new one before it', { current: B, older: [A] }, 'renewed'],
    ['another', { current: B, older: [] }, 'foreign'],
    ['others', { current: B, older: ['c'.repeat(64)] }, 'foreign'],
  ] as const)('knows %s', (_name, secret, expected) => {
    expect(matchSecret(path, secret)).toBe('unknown');
    markSecret(path, { current: A, older: [] });
    expect(matchSecret(path, secret)).toBe(expected);
  });

  it('follows a renewal, so that the old key can go', () => {
    markSecret(path, { current: A, older: [] });
    markSecret(path, { current: B, older: [A] });
    expect(matchSecret(path, { current: B, older: [] })).toBe('same');
    expect(matchSecret(path, { current: A, older: [] })).toBe('foreign');
  });

  it('is private, and tells nothing of the secret', () => {
    markSecret(path, { current: A, older: [] });
    expect(readdirSync(directory)).toEqual(['secret.fingerprint']);
    expect(statSync(markPathOf(path)).mode & 0o777).toBe(0o600);
    expect(readFileSync(markPathOf(path), 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    expect(readFileSync(markPathOf(path), 'utf8')).not.toContain(A);
  });
});
