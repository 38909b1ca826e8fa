import { z } from 'zod';
import { OPERATOR_FIELDS, RepoName, ThreadNumber } from './operator-fields.js';

/**
 * `pause`: MergeXO starts no turn until `resume`. A running turn continues.
 * `cancel`: stops the agent of a running turn, and pauses the issue.
 * `skip-review`: approves the head of a pull request without an AI review.
 */
export const STEER_ORDERS = ['pause', 'resume', 'cancel', 'skip-review'] as const;
export type SteerOrder = (typeof STEER_ORDERS)[number];

/** An operator's request to pause, resume or cancel work. */
export const SteerMessage = z.strictObject({
  kind: z.literal('steer'),
  ...OPERATOR_FIELDS,
  order: z.enum(STEER_ORDERS),
  /** Null means every repository. */
  repo: RepoName.nullable(),
  /** An issue or its pull request; null means the whole repository. */
  number: ThreadNumber.nullable(),
});

export const Steered = z.strictObject({
  kind: z.literal('steered'),
  /** False if the work was already in the requested state. */
  changed: z.boolean(),
  repo: z.string().nullable(),
  issueNumber: z.int().nullable(),
  /** The turn that the order left running or canceled; null if there is none. */
  turn: z.strictObject({ kind: z.string(), end: z.enum(['running', 'cancelled']) }).nullable(),
});
