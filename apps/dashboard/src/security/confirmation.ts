import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';

/** A confirmed wish: what it is about, and the id under which it is done once, however often the form is sent. */
export type Confirmation = { requestId: string; expiresAt: number; token: string };

export type Confirmations = ReturnType<typeof createConfirmations>;

const KEEP_MS = 3_600_000;

/**
 * Proof that a form came from a page that we showed, for exactly this. The key lives as long as the process: after a
 * restart an open form is refused and shown anew.
 */
export function createConfirmations(now: () => number) {
  const key = randomBytes(32);
  const sign = (about: string, requestId: string, expiresAt: number): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([about, requestId, expiresAt]))
      .digest('hex');

  return {
    issue(about: string): Confirmation {
      const requestId = randomUUID();
      const expiresAt = now() + KEEP_MS;
      return { requestId, expiresAt, token: sign(about, requestId, expiresAt) };
    },

    isValid(about: string, { requestId, expiresAt, token }: Confirmation): boolean {
      const expected = Buffer.from(sign(about, requestId, expiresAt));
      const given = Buffer.from(token);
      return given.length === expected.length && timingSafeEqual(given, expected) && now() < expiresAt;
    },
  };
}
