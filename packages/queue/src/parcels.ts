import { createHash, randomBytes } from 'node:crypto';
import { Failure } from '@mergexo/core/basics';
import type { Redis } from 'ioredis';
import { z } from 'zod';

/** A plan's bundle may have 20 MB, a third more as base64; nothing that we send is larger than this. */
export const MAX_PARCEL_BYTES = 40 * 1024 * 1024;
const MAX_INLINE_CHARACTERS = 8_192;
const KEEP_SECONDS = 3_600;
/** Large parcels travel in pieces, so that even over a slow network each answer comes before Redis counts as gone. */
const CHUNK_BYTES = 1024 * 1024;

/** Small texts travel in the job; large ones beside it, so that BullMQ's streams and the dashboard stay small. */
export const Envelope = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ parcel: z.string().regex(/^[0-9a-f]{64}$/) }),
]);
export type Envelope = z.infer<typeof Envelope>;

export type Parcels = ReturnType<typeof createParcels>;

export function createParcels(redis: Redis, prefix: string) {
  const keyOf = (digest: string) => `${prefix}:parcel:${digest}`;

  return {
    async pack(text: string): Promise<Envelope> {
      if (text.length <= MAX_INLINE_CHARACTERS) return { text };
      const bytes = Buffer.from(text);
      if (bytes.length > MAX_PARCEL_BYTES) {
        throw new Failure(
          'invalid-data',
          `A ledger message of ${bytes.length} bytes is over ${MAX_PARCEL_BYTES}.`,
        );
      }
      const digest = createHash('sha256').update(bytes).digest('hex');
      const draft = `${keyOf(digest)}:${randomBytes(8).toString('hex')}`;
      await redis.set(draft, bytes.subarray(0, CHUNK_BYTES), 'EX', KEEP_SECONDS);
      for (let at = CHUNK_BYTES; at < bytes.length; at += CHUNK_BYTES)
        await redis.append(draft, bytes.subarray(at, at + CHUNK_BYTES));
      await redis.rename(draft, keyOf(digest));
      return { parcel: digest };
    },

    /** Undefined when the parcel is gone (a flush, an expiry): the sender packs it again. */
    async unpack(envelope: Envelope): Promise<string | undefined> {
      if ('text' in envelope) return envelope.text;
      const key = keyOf(envelope.parcel);
      const length = await redis.strlen(key);
      if (length > MAX_PARCEL_BYTES) {
        throw new Failure('invalid-data', `A parcel is over ${MAX_PARCEL_BYTES} bytes.`);
      }
      const chunks: Buffer[] = [];
      for (let at = 0; at < length; at += CHUNK_BYTES)
        chunks.push(await redis.getrangeBuffer(key, at, at + CHUNK_BYTES - 1));
      const bytes = Buffer.concat(chunks);
      if (bytes.length === 0) return undefined;
      if (createHash('sha256').update(bytes).digest('hex') === envelope.parcel) return bytes.toString();
      throw new Failure('invalid-data', 'A parcel does not have the digest that names it.');
    },

    async drop(envelope: Envelope): Promise<void> {
      if ('parcel' in envelope) await redis.del(keyOf(envelope.parcel));
    },
  };
}
