import { createHmac, timingSafeEqual } from 'node:crypto';

/** Computes an HMAC-SHA256 in hex. The first part names the purpose, so that no HMAC is valid for another purpose. */
export function computeHmac(key: string, parts: readonly [purpose: string, ...(string | number)[]]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('hex');
}

/** Compares in constant time. */
export function isSameHmac(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
