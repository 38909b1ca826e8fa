import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecretFile, readSecret } from './secret.js';

describe('the signing secret', () => {
  let dir: string;
  let path: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'mx-'));
    path = join(dir, 'secret');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('is made once, private, and kept', () => {
    expect(createSecretFile(path)).toBe(true);
    const text = readFileSync(path, 'utf8');
    expect(text).toMatch(/^[0-9a-f]{64}\n$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(createSecretFile(path)).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readSecret(path, undefined)).toEqual({ current: text.trim(), older: [] });
  });

  it('signs with the first key and still knows the older ones', () => {
    writeFileSync(path, `${'b'.repeat(64)}\n${'a'.repeat(64)}\n`, { mode: 0o600 });
    expect(readSecret(path, undefined)).toEqual({ current: 'b'.repeat(64), older: ['a'.repeat(64)] });
  });

  it('comes from the environment where that has one', () => {
    expect(readSecret(path, 'e'.repeat(40))).toEqual({ current: 'e'.repeat(40), older: [] });
  });

  it('is refused when it is missing, too short or open to others, and never printed', () => {
    expect(() => readSecret(path, undefined)).toThrow(/missing.*mergexo init/);
    expect(() => readSecret(path, 'short-secret')).toThrow(/^MERGEXO_SECRET has.*at least 32 characters/s);
    expect(() => readSecret(path, 'short-secret')).not.toThrow(/short-secret/);
    createSecretFile(path);
    chmodSync(path, 0o640);
    expect(() => readSecret(path, undefined)).toThrow(/open to other users/);
  });
});
