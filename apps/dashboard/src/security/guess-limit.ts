export type GuessLimit = ReturnType<typeof createGuessLimit>;

/** Wrong passwords that a client may send at once. Afterwards it may send one per interval. */
export const GUESSES_AT_ONCE = 10;
const INTERVAL_MS = 6_000;
const MAX_CLIENTS = 10_000;

/**
 * Limits wrong passwords per client, across all its connections. Stores when each client's budget will be
 * full again, so a blocked client waits at most one interval, no matter how often it guessed.
 */
export function createGuessLimit(monotonicNow: () => number) {
  const fullAt = new Map<string, number>();

  return {
    /** Returns how long the client must wait, or 0. Until then, even the right password is refused. */
    waitMs(client: string): number {
      const spentMs = (fullAt.get(client) ?? 0) - monotonicNow();
      return Math.max(0, spentMs - (GUESSES_AT_ONCE - 1) * INTERVAL_MS);
    },

    countWrong(client: string): void {
      const next = Math.max(monotonicNow(), fullAt.get(client) ?? 0) + INTERVAL_MS;
      fullAt.delete(client);
      fullAt.set(client, next);
      for (const [other, time] of fullAt) {
        if (fullAt.size <= MAX_CLIENTS && time > monotonicNow()) break;
        fullAt.delete(other);
      }
    },
  };
}

/** Returns the client's IPv4 address or IPv6 network. A single machine usually has a whole /64 network of addresses. */
export function toClient(address: string | undefined): string {
  const [plain = ''] = (address ?? '').replace(/^::ffff:(?=\d+\.)/i, '').split('%');
  if (!plain.includes(':')) return plain;
  const [left = [], right = []] = plain.split('::').map((part) => part.split(':'));
  const gap = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  return [...left, ...gap, ...right].slice(0, 4).join(':');
}
