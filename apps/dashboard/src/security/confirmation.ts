import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';

/** The poller applies each request id once, so submitting a form twice has no further effect. */
export type Confirmation = { requestId: string; expiresAt: number; token: string };

export type Confirmations = ReturnType<typeof createConfirmations>;

const KEEP_MS = 3_600_000;

/**
 * Creates tokens that prove that this dashboard rendered the form for this subject. The key is only in memory, so a
 * restart invalidates open forms.
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
