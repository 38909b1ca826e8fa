import { createCipheriv, createDecipheriv } from 'node:crypto';
import { computeHmac } from '../basics/hmac.js';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

type Purpose = { key: string; purpose: readonly [string, ...(string | number)[]] };

/**
 * Encrypts a text (AES-256-GCM). Only the same key and purpose open it. `nonce` has 12 random bytes, and a new value for
 * every text.
 */
export function seal(text: string, { key, purpose, nonce }: Purpose & { nonce: Buffer }): string {
  const cipher = createCipheriv('aes-256-gcm', deriveKey({ key, purpose }), nonce);
  const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(parts).toString('base64url');
}

/** Decrypts a text. Undefined if the text was changed, or sealed with another key or for another purpose. */
export function openSealed(sealed: string, { key, purpose }: Purpose): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(
    'aes-256-gcm',
    deriveKey({ key, purpose }),
    bytes.subarray(0, NONCE_BYTES),
  );
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

const deriveKey = ({ key, purpose }: Purpose): Buffer => Buffer.from(computeHmac(key, purpose), 'hex');
