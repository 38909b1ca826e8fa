import { isSameHmac } from '../basics/hmac.js';

const PREFIX = 'sha256=';

/** Renders the value of the header `X-Hub-Signature-256`. */
export function renderSignature(digest: string): string {
  return `${PREFIX}${digest}`;
}

/** True if the header matches one of the digests. There is one digest per secret, so that a secret can be replaced. */
export function verifySignature(header: string | undefined, digests: readonly string[]): boolean {
  return header !== undefined && digests.some((digest) => isSameHmac(header, renderSignature(digest)));
}
