import { z } from 'zod';

/** What whoever posts may still ask for until `resetsAt`; every answer says it anew. */
export type RateLimit = { limit: number; left: number; resetsAt: number };

const Count = z
  .string()
  .regex(/^\d{1,12}$/)
  .transform(Number);
const Headers = z.object({
  'x-ratelimit-limit': Count,
  'x-ratelimit-remaining': Count,
  'x-ratelimit-reset': Count,
  // Search and GraphQL have limits of their own.
  'x-ratelimit-resource': z.literal('core').optional(),
});

/** Undefined where the answer does not say: a server in between, or an Enterprise Server without limits. */
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
