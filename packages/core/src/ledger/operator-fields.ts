import { z } from 'zod';

export const RepoName = z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, 'expected owner/name');
/** The number of an issue or pull request. */
export const ThreadNumber = z.int().min(1);

/** Maximum length of an operator's reason. */
export const MAX_REASON = 300;

/** Fields of every operator's request to the poller that owns the state. */
export const OPERATOR_FIELDS = {
  /** Chosen once per command. A resent message keeps its id. */
  requestId: z.string().regex(/^[\w-]{1,100}$/),
  /** Where the operator made the request, and the system's name for the operator if known: `cli (ada)`. */
  by: z.string().regex(/^[\w .@()-]{1,100}$/),
  /** The poller ignores the message after this time, because the sender has given up and the state may have changed. */
  expiresAt: z.int().min(0),
  /** Why the operator asks, in the operator's words. */
  reason: z.string().max(MAX_REASON).nullable(),
};
