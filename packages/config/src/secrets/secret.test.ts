import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { createSecretFile, readSecret } from './secret.js';

describe('the signing secret', () => {
  const pathTo = useTemporaryDirectory();
  let path: string;
  beforeEach(() => {
    path = pathTo('secret');
  });

  it('is created once with mode 600, and kept', () => {
    expect(createSecretFile(path)).toBe(true);
    const text = readFileSync(path, 'utf8');
    expect(text).toMatch(/^[0-9a-f]{64}\n$/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(createSecretFile(path)).toBe(false);
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readSecret(path, undefined)).toEqual({ current: text.trim(), older: [] });
  });

  it('has the first key as its current key and the other keys as older keys', () => {
    writeFileSync(path, `${'b'.repeat(64)}\n${'a'.repeat(64)}\n`, { mode: 0o600 });
    expect(readSecret(path, undefined)).toEqual({ current: 'b'.repeat(64), older: ['a'.repeat(64)] });
  });

  it('is read from MERGEXO_SECRET if that variable is set', () => {
    expect(readSecret(path, 'e'.repeat(40))).toEqual({ current: 'e'.repeat(40), older: [] });
  });

  it('is rejected if it is missing, too short or readable by others, and never printed', () => {
    expect(() => readSecret(path, undefined)).toThrow(/missing.*mergexo init/);
    expect(() => readSecret(path, 'short-secret')).toThrow(/^MERGEXO_SECRET has.*at least 32 characters/s);
    expect(() => readSecret(path, 'short-secret')).not.toThrow(/short-secret/);
    createSecretFile(path);
    chmodSync(path, 0o640);
    expect(() => readSecret(path, undefined)).toThrow(/other users can read/);
  });
});
