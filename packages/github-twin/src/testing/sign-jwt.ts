import { sign } from 'node:crypto';

export type Claims = { iss?: unknown; iat?: unknown; exp?: unknown };

/** Signs a JSON web token as an App does. `alg` is only what the header says. */
export function signJwt(pem: string, claims: Claims, alg = 'RS256'): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = `${encode({ alg, typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), pem).toString('base64url')}`;
}
