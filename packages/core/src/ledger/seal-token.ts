import { computeHmac } from '../basics/hmac.js';
import { openSealed, seal } from './seal.js';

/** The values that derive the key. Only the poller and the worker of the attempt know all of them. */
type Parties = { turnKey: string; attempt: number; secret: string; workerKey: string };

/**
 * Encrypts a token for the worker of an attempt. Anyone who can read Redis sees the attempt's secret, so the key also
 * depends on the worker's key, which is never sent.
 */
export function sealToken(token: string, parties: Parties, nonce: Buffer): string {
  return seal(token, { ...keyOf(parties), nonce });
}

/** Undefined if the answer was not encrypted for this attempt. */
export function openToken(sealed: string, parties: Parties): string | undefined {
  return openSealed(sealed, keyOf(parties));
}

function keyOf({ turnKey, attempt, secret, workerKey }: Parties) {
  return {
    key: computeHmac(workerKey, ['token-key', secret]),
    purpose: ['token', turnKey, attempt],
  } as const;
}
