import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SigningKeys } from '../outbox/marker.js';
import type { ResetMessage } from './message.js';

/** Signs a reset with the poller's secret. Workers share the queue with the operator, but do not have this secret. */
export function signReset(message: ResetMessage, key: string): ResetMessage {
  return { ...message, signature: computeSignature(message, key) };
}

export function isSignedReset(message: ResetMessage, keys: SigningKeys): boolean {
  const given = Buffer.from(message.signature ?? '');
  return [keys.current, ...keys.older].some((key) => {
    const expected = Buffer.from(computeSignature(message, key));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function computeSignature(message: ResetMessage, key: string): string {
  const { requestId, by, expiresAt, pulls, repo, headSha } = message;
  const wanted =
    pulls?.map((pull) =>
      'prNumber' in pull ? [pull.repo, pull.prNumber] : [pull.repo, null, pull.issueNumber],
    ) ?? null;
  return createHmac('sha256', key)
    .update(JSON.stringify(['reset', requestId, by, expiresAt, wanted, repo, headSha]))
    .digest('hex');
}
