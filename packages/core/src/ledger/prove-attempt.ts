import { toCanonicalJson } from '../basics/canonical-json.js';
import { computeHmac, isSameHmac } from '../basics/hmac.js';
import type { Turn } from '../turns/turn.js';
import type { LedgerDraft, LedgerMessage } from './message.js';
import { computeSender, nameIn } from './sender.js';

/** The messages about an attempt: all but `begin`, `heartbeat` and `reset`. */
export type HeldMessage = Extract<LedgerMessage, { proof: string }>;
export type HeldDraft = Exclude<LedgerDraft, { kind: 'begin' | 'heartbeat' | 'reset' | 'steer' }>;

/**
 * Computes the secret of an attempt. The poller derives it again for every message, so it survives a restart without
 * being stored. `requestId` is the random id of the `begin` message.
 */
export function computeAttemptSecret(
  signingKey: string,
  { turnKey, attempt, requestId }: { turnKey: string; attempt: number; requestId: string },
): string {
  return computeHmac(signingKey, ['attempt', turnKey, attempt, requestId]);
}

/**
 * Adds the proof, which covers the whole message. Anyone who can read Redis sees the secret in the answer to `begin`,
 * so the proof also needs the worker's key.
 */
export function proveMessage<Draft extends HeldDraft>(
  draft: Draft,
  { secret, workerKey }: { secret: string; workerKey: string },
): Draft & { proof: string } {
  const proofKey = computeHmac(workerKey, ['proof-key', secret]);
  return { ...draft, proof: computeHmac(proofKey, ['message', toCanonicalJson(draft)]) };
}

/** True if the message comes from the worker that began the attempt. Another worker may deliver it. */
export function isProven({ proof, ...draft }: HeldMessage, turn: Turn, signingKey: string): boolean {
  const { turnKey, attempt } = draft;
  const requestId = turn.begins[attempt - 1];
  if (requestId === undefined) return false;
  const secret = computeAttemptSecret(signingKey, { turnKey, attempt, requestId });
  const workerKey = computeSender(signingKey, nameIn(requestId)).key;
  return isSameHmac(proof, proveMessage(draft, { secret, workerKey }).proof);
}
