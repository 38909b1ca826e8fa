import { randomBytes } from 'node:crypto';
import { openSealed, seal } from './seal.js';

const key = 'k'.repeat(64);
const purpose = ['test', 'turn', 1] as const;
const sealIt = (text: string): string => seal(text, { key, purpose, nonce: randomBytes(12) });

describe('seal', () => {
  it('encrypts the text, and decrypts it again', () => {
    const sealed = sealIt('ghs_secret');
    expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('ghs_secret');
    expect(openSealed(sealed, { key, purpose })).toBe('ghs_secret');
  });

  it.each([
    ['another key', { key: 'o'.repeat(64), purpose }],
    ['another purpose', { key, purpose: ['test', 'turn', 2] as const }],
  ])('stays closed with %s', (_what, wrong) => {
    expect(openSealed(sealIt('ghs_secret'), wrong)).toBeUndefined();
  });

  it('cannot be decrypted after any change', () => {
    const bytes = Buffer.from(sealIt('ghs_secret'), 'base64url');
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(openSealed(changed.toString('base64url'), { key, purpose })).toBeUndefined();
    }
    expect(openSealed('short', { key, purpose })).toBeUndefined();
  });
});
