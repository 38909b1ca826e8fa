import { z } from 'zod';

/** What GitHub lets a login still ask for until `resetsAt`. One login has one limit for all repositories. */
export const RateLeft = z.object({
  login: z.string(),
  limit: z.number(),
  left: z.number(),
  resetsAt: z.number(),
});
export type RateLeft = z.infer<typeof RateLeft>;

/** It is kept among the feeds of one of the login's repositories, as JSON in place of a cursor. */
export const RATE_LEFT_FEED = 'rate_left';
