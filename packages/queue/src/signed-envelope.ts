import { createHash } from 'node:crypto';
import { computeHmac, isSameHmac } from '@mergexo/core/basics';
import { isSenderName, type Sender } from '@mergexo/core/ledger';
import { z } from 'zod';
import { type Envelope, Inline, Parcel } from './parcels.js';

const mac = z.string().regex(/^[0-9a-f]{64}$/);
const from = z.string().refine(isSenderName);

/** A message as stored in Redis. */
export const SignedRequest = z.union([
  z.strictObject({ ...Inline, from, mac }),
  z.strictObject({ ...Parcel, from, mac }),
]);
export type SignedRequest = z.infer<typeof SignedRequest>;

/** An answer as stored in Redis. */
export const SignedReply = z.union([z.strictObject({ ...Inline, mac }), z.strictObject({ ...Parcel, mac })]);
export type SignedReply = z.infer<typeof SignedReply>;

/**
 * The answer to a message without a valid signature. Anybody who can write to Redis can forge this answer, so the
 * client only reports it as a hint to the operator and asks again.
 */
export const REJECTED = { rejected: true } as const;

/** The job id is signed too, so a message or answer cannot be moved to another request. */
export function signRequest(envelope: Envelope, jobId: string, { name, key }: Sender): SignedRequest {
  return { ...envelope, from: name, mac: computeMac('request', { envelope, jobId, key }) };
}

export function isSignedRequest(request: SignedRequest, jobId: string, key: string): boolean {
  return isSameHmac(request.mac, computeMac('request', { envelope: request, jobId, key }));
}

export function signReply(envelope: Envelope, jobId: string, key: string): SignedReply {
  return { ...envelope, mac: computeMac('reply', { envelope, jobId, key }) };
}

export function isSignedReply(reply: SignedReply, jobId: string, key: string): boolean {
  return isSameHmac(reply.mac, computeMac('reply', { envelope: reply, jobId, key }));
}

function computeMac(
  direction: 'request' | 'reply',
  { envelope, jobId, key }: { envelope: Envelope; jobId: string; key: string },
): string {
  const digest =
    'parcel' in envelope ? envelope.parcel : createHash('sha256').update(envelope.text).digest('hex');
  return computeHmac(key, [direction, jobId, digest]);
}
