import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { signAppJwt } from './sign-app-jwt.js';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const decode = (part = ''): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());

describe('signAppJwt', () => {
  it.each(['pkcs1', 'pkcs8'] as const)('signs GitHub’s claims with a key in %s', (type) => {
    const key = privateKey.export({ type, format: 'pem' }).toString();
    const [header, payload, signature] = signAppJwt({ clientId: 'Iv1.x', key, now: 1_000_500 }).split('.');
    expect([decode(header), decode(payload)]).toEqual([
      { alg: 'RS256', typ: 'JWT' },
      { iat: 940, exp: 1_540, iss: 'Iv1.x' },
    ]);
    const signed = Buffer.from(`${header}.${payload}`);
    const isValid = verify(
      'RSA-SHA256',
      signed,
      createPublicKey(key),
      Buffer.from(signature ?? '', 'base64url'),
    );
    expect(isValid).toBe(true);
  });

  it('does not quote an invalid key', () => {
    const error = (() => {
      try {
        return signAppJwt({ clientId: 'x', key: 'not-a-key', now: 0 });
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toMatchObject({ kind: 'unauthorized', message: expect.stringContaining('PEM') });
    expect(String(error)).not.toContain('not-a-key');
  });
});
