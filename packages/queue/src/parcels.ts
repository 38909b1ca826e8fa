import { createHash, randomBytes } from 'node:crypto';
import { Failure } from '@mergexo/core/basics';
import type { Redis } from 'ioredis';
import { z } from 'zod';

/** Maximum size of a parcel. A plan's bundle may be 20 MB, and base64 adds a third. No message is larger. */
export const MAX_PARCEL_BYTES = 40 * 1024 * 1024;
const MAX_INLINE_BYTES = 8_192;
const KEEP_SECONDS = 3_600;
/** Large parcels are sent in pieces, so that each reply arrives before the silence limit even on a slow network. */
const CHUNK_BYTES = 1024 * 1024;

export const Inline = {
  text: z.string().refine((text) => Buffer.byteLength(text) <= MAX_INLINE_BYTES, 'belongs in a parcel'),
};
export const Parcel = { parcel: z.string().regex(/^[0-9a-f]{64}$/) };

/**
 * A small text, or the key of a large text that is stored outside the job, so that BullMQ's streams and the dashboard
 * stay small.
 */
export type Envelope = { text: string } | { parcel: string };

export type Parcels = ReturnType<typeof createParcels>;

export function createParcels(redis: Redis, prefix: string) {
  const keyOf = (digest: string) => `${prefix}:parcel:${digest}`;

  return {
    async pack(text: string): Promise<Envelope> {
      const bytes = Buffer.from(text);
      if (bytes.length <= MAX_INLINE_BYTES) return { text };
      if (bytes.length > MAX_PARCEL_BYTES) {
        throw new Failure(
          'invalid-data',
          `A message to or from the poller has ${bytes.length} bytes, more than the limit of ${MAX_PARCEL_BYTES}.`,
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

    /** Returns the text; undefined if the parcel was flushed or has expired. The sender then packs it again. */
    async unpack(envelope: Envelope): Promise<string | undefined> {
      if ('text' in envelope) return envelope.text;
      const key = keyOf(envelope.parcel);
      const length = await redis.strlen(key);
      if (length > MAX_PARCEL_BYTES) {
        throw new Failure('unavailable', `A parcel in Redis has more than ${MAX_PARCEL_BYTES} bytes.`);
      }
      const chunks: Buffer[] = [];
      for (let at = 0; at < length; at += CHUNK_BYTES)
        chunks.push(await redis.getrangeBuffer(key, at, at + CHUNK_BYTES - 1));
      const bytes = Buffer.concat(chunks);
      if (bytes.length === 0) return undefined;
      if (createHash('sha256').update(bytes).digest('hex') === envelope.parcel) return bytes.toString();
      throw new Failure(
        'unavailable',
        'A parcel in Redis is damaged: its content does not match its digest. The sender packs it again.',
      );
    },

    async drop(envelope: Envelope): Promise<void> {
      if ('parcel' in envelope) await redis.del(keyOf(envelope.parcel));
    },
  };
}
