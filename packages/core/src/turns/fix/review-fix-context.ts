import { z } from 'zod';
import { ReviewFixMetadata } from '../../review/build-fix-metadata.js';
import { AgentSession } from '../plan.js';
import { ReviewedPull } from '../review/review-context.js';
import { REVIEW_CATEGORIES, SEVERITIES } from '../review/review-output.js';

/** What a fix is about: stored when the turn opens; the head is brought up to date at `begin`. */
export const ReviewFixContext = z.strictObject({
  ...ReviewedPull,
  metadata: ReviewFixMetadata,
  /** The review that asked for changes, as it stands on GitHub. */
  review: z.strictObject({ body: z.string(), url: z.string() }),
  /** All that it found and nobody dismissed, whether it blocks or not. */
  findings: z.array(
    z.strictObject({
      id: z.int().min(1),
      path: z.string(),
      line: z.int().min(1).nullable(),
      severity: z.enum(SEVERITIES),
      category: z.enum(REVIEW_CATEGORIES),
      body: z.string(),
      suggestion: z.string().nullable(),
    }),
  ),
  session: AgentSession.nullable(),
  stateSummary: z.string(),
});
export type ReviewFixContext = z.infer<typeof ReviewFixContext>;
