import { z } from 'zod';
import { Sha } from '../../basics/sha.js';
import { FINDING_STATUSES } from '../../review/findings/finding.js';
import { FeedbackContext } from '../feedback/feedback-context.js';
import { Discussion } from './discussion.js';
import { REVIEW_CATEGORIES, ReviewReply, SEVERITIES } from './review-output.js';

const { repo, flow, branch, designDocPath, pull, issue, checks, linked, unreadLinks } = FeedbackContext.shape;

/** One of MergeXO's pull requests, with its issue. */
export const ReviewedPull = {
  repo,
  flow,
  branch,
  designDocPath,
  headSha: Sha,
  pull,
  issue,
  checks,
  linked,
  unreadLinks,
  discussion: Discussion,
};

const Earlier = z.strictObject({
  id: z.int().min(1),
  fingerprint: z.string(),
  path: z.string(),
  startLine: z.int().min(1).nullable().default(null),
  line: z.int().min(1).nullable(),
  severity: z.enum(SEVERITIES),
  category: z.enum(REVIEW_CATEGORIES),
  body: z.string(),
  suggestion: z.string().nullable().default(null),
  status: z.enum(FINDING_STATUSES),
  /** The fixing agent's note. */
  note: z.string().nullable(),
  /** The last round that raised the finding. */
  lastRound: z.int().min(1),
});
/** A finding from an earlier round, with everything that the reviewer needs to know about it. */
export type EarlierReviewFinding = z.infer<typeof Earlier>;

/** The input of a review, stored when the turn opens. A new head gets a new turn. */
export const ReviewContext = z.strictObject({
  ...ReviewedPull,
  /** The head that the previous round reviewed; null in the first round. */
  reviewedSha: Sha.nullable(),
  /** 1-based number of the round. Rounds without a verdict are not counted. */
  round: z.int().min(1),
  /** The findings of all earlier rounds, in any status. */
  earlier: z.array(Earlier),
  policy: z.strictObject({
    blockingSeverity: z.enum(SEVERITIES),
    maxFindings: z.int().min(0),
    verify: z.boolean().default(true),
  }),
  /** Fixes left before MergeXO escalates to a person. */
  fixesLeft: z.int().min(0),
  /** The reviewer's answer in an earlier attempt, which ended before a second agent could verify the findings. */
  reported: ReviewReply.exactOptional(),
});
export type ReviewContext = z.infer<typeof ReviewContext>;
