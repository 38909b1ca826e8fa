import { z } from 'zod';
import { Sha } from '../../basics/sha.js';
import { FINDING_STATUSES } from '../../review/findings/finding.js';
import { FeedbackContext } from '../feedback/feedback-context.js';
import { SEVERITIES } from './review-output.js';

const { repo, flow, branch, designDocPath, pull, issue, checks } = FeedbackContext.shape;

/** A pull request of ours with the issue that it is for. */
export const ReviewedPull = { repo, flow, branch, designDocPath, headSha: Sha, pull, issue, checks };

const Earlier = z.strictObject({
  id: z.int().min(1),
  fingerprint: z.string(),
  path: z.string(),
  line: z.int().min(1).nullable(),
  severity: z.enum(SEVERITIES),
  category: z.string(),
  body: z.string(),
  status: z.enum(FINDING_STATUSES),
  /** What the agent that fixes said about it. */
  note: z.string().nullable(),
  /** The number of the round that raised it last. */
  lastRound: z.int().min(1),
});
/** A finding of an earlier round, with all that a reviewer is told about it. */
export type EarlierReviewFinding = z.infer<typeof Earlier>;

/** What a review is about: stored when the turn opens. A head that moved makes another turn. */
export const ReviewContext = z.strictObject({
  ...ReviewedPull,
  /** The head that the round before looked at; null in the first round. */
  reviewedSha: Sha.nullable(),
  /** From 1; only rounds that came to a verdict count. */
  round: z.int().min(1),
  /** Of all earlier rounds, whatever became of them. */
  earlier: z.array(Earlier),
  policy: z.strictObject({ blockingSeverity: z.enum(SEVERITIES), maxFindings: z.int().min(0) }),
  /** Fixes that may still be made before a person is asked. */
  fixesLeft: z.int().min(0),
});
export type ReviewContext = z.infer<typeof ReviewContext>;
