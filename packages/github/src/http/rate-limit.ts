import { z } from 'zod';

/** The login may send `left` more requests until `resetsAt`. GitHub reports these numbers with every response. */
export type RateLimit = { limit: number; left: number; resetsAt: number };

const Count = z
  .string()
  .regex(/^\d{1,12}$/)
  .transform(Number);
const Headers = z.object({
  'x-ratelimit-limit': Count,
  'x-ratelimit-remaining': Count,
  'x-ratelimit-reset': Count,
  // Search and GraphQL have separate limits, so their headers are rejected.
  'x-ratelimit-resource': z.literal('core').optional(),
});

/**
 * Reads the rate limit. Undefined for a response without these headers, such as one from a proxy or an Enterprise
 * Server without limits.
 */
export function readRateLimit(headers: unknown): RateLimit | undefined {
  const { data } = Headers.safeParse(headers);
  return (
    data && {
      limit: data['x-ratelimit-limit'],
      left: data['x-ratelimit-remaining'],
      resetsAt: data['x-ratelimit-reset'] * 1_000,
    }
  );
}
