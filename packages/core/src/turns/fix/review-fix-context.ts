import { z } from 'zod';
import { ReviewFixMetadata } from '../../review/build-fix-metadata.js';
import { AgentSession } from '../plan.js';
import { ReviewedPull } from '../review/review-context.js';
import { REVIEW_CATEGORIES, SEVERITIES } from '../review/review-output.js';

/** The input of a fix, stored when the turn opens. `begin` updates the head. */
export const ReviewFixContext = z.strictObject({
  ...ReviewedPull,
  metadata: ReviewFixMetadata,
  /** The review that requested changes, as posted on GitHub. */
  review: z.strictObject({ body: z.string(), url: z.string() }),
  /** All findings that nobody dismissed, blocking or not. */
  findings: z.array(
    z.strictObject({
      id: z.int().min(1),
      path: z.string(),
      startLine: z.int().min(1).nullable().default(null),
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
