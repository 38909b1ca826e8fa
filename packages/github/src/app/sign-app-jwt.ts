import { createPrivateKey, sign } from 'node:crypto';
import { Failure } from '@mergexo/core/basics';

/** Backdates each token, so that GitHub accepts it even if this machine's clock is slightly ahead. */
const BACKDATED_SECONDS = 60;
/** GitHub rejects tokens that are valid for more than ten minutes from now. */
const LIFETIME_SECONDS = 540;

/** Signs the token with which a GitHub App proves its identity. `now` is GitHub's time in milliseconds. */
export function signAppJwt({ clientId, key, now }: { clientId: string; key: string; now: number }): string {
  const seconds = Math.floor(now / 1_000);
  const claims = { iat: seconds - BACKDATED_SECONDS, exp: seconds + LIFETIME_SECONDS, iss: clientId };
  const content = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${content}.${sign('RSA-SHA256', Buffer.from(content), parse(key)).toString('base64url')}`;
}

/** The error has no cause, because OpenSSL's message could quote the key. */
function parse(key: string) {
  try {
    return createPrivateKey(key);
  } catch {
    throw new Failure(
      'unauthorized',
      'The private key of the GitHub App is not an RSA key in PEM format. Generate a new key in the settings of the App, and store the downloaded file.',
    );
  }
}
