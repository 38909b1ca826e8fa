import { toCanonicalJson } from '../basics/canonical-json.js';
import { computeHmac, isSameHmac } from '../basics/hmac.js';
import type { Turn } from '../turns/turn.js';
import type { LedgerDraft, LedgerMessage } from './message.js';

/** The messages about an attempt: all but `begin`, `heartbeat` and `reset`. */
export type HeldMessage = Extract<LedgerMessage, { proof: string }>;
export type HeldDraft = Exclude<LedgerDraft, { kind: 'begin' | 'heartbeat' | 'reset' }>;

type AttemptIdentity = { turnKey: string; attempt: number; requestId: string };

/**
 * Computes the secret of an attempt. The poller derives it again for every message, so it survives a restart without
 * being stored. `requestId` is the random id of the `begin` message.
 */
export function computeAttemptSecret(
  signingKey: string,
  { turnKey, attempt, requestId }: AttemptIdentity,
): string {
  return computeHmac(signingKey, ['attempt', turnKey, attempt, requestId]);
}

/** Adds the proof, which covers the whole message. A copy with any other content has no valid proof. */
export function proveMessage<Draft extends HeldDraft>(
  draft: Draft,
  secret: string,
): Draft & { proof: string } {
  return { ...draft, proof: computeProof(draft, secret) };
}

/** True if the sender knows the secret of the attempt that the message names. */
export function isProven({ proof, ...draft }: HeldMessage, turn: Turn, signingKey: string): boolean {
  const { turnKey, attempt } = draft;
  const requestId = turn.begins[attempt - 1];
  if (requestId === undefined) return false;
  const secret = computeAttemptSecret(signingKey, { turnKey, attempt, requestId });
  return isSameHmac(proof, computeProof(draft, secret));
}

function computeProof(draft: HeldDraft, secret: string): string {
  return computeHmac(secret, ['message', toCanonicalJson(draft)]);
}
