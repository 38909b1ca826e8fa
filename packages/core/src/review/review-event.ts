import { z } from 'zod';
import type { RuntimeEvent } from '../timeline/runtime-event.js';
import { Sha } from '../turns/plan.js';
import { REVIEW_CATEGORIES, SEVERITIES } from '../turns/review/review-output.js';
import { ReviewFixMetadata } from './build-fix-metadata.js';
import { ESCALATION_KINDS } from './decide-review.js';

const cycle = z.int().min(0);
const Escalation = z.strictObject({
  kind: z.enum(ESCALATION_KINDS),
  text: z.string().max(500),
  fix_cycle: cycle,
  max_fix_cycles: cycle,
  human_review_required: z.literal(true),
});

/** The findings that a second agent checked, and those that cannot block. Absent if there are none. */
const checked = {
  /** Refuted findings, each as its place and the second agent's evidence. */
  refuted: z.array(z.string().max(500)).optional(),
  /** Number of blocking findings that the second agent did not check. */
  unverified: z.int().min(1).optional(),
  /** Number of findings that do not block, because the change did not introduce them. */
  notes: z.int().min(1).optional(),
};

/** The payload of each event in the review loop. */
export const REVIEW_EVENTS = {
  /** The only event that starts a fix. */
  work_rejected: z.strictObject({
    round_id: z.int().min(1),
    head_sha: Sha,
    fix_cycle: cycle,
    max_fix_cycles: cycle,
    findings_count: z.int().min(1),
    severity: z.enum(SEVERITIES),
    summary: z.string().max(2_000),
    blocking: z
      .array(
        z.strictObject({
          fingerprint: z.string().min(1).max(64),
          severity: z.enum(SEVERITIES),
          category: z.enum(REVIEW_CATEGORIES),
          path: z.string().max(1_000),
          line: z.int().min(1).nullable(),
        }),
      )
      .min(1),
    ...checked,
  }),
  work_approved: z.strictObject({
    round_id: z.int().min(1),
    head_sha: Sha,
    fix_cycle: cycle,
    findings_count: z.int().min(0),
    ...checked,
  }),
  review_fix_created: z.strictObject({
    round_id: z.int().min(1),
    head_sha: Sha,
    metadata: ReviewFixMetadata,
  }),
  review_fix_completed: z.strictObject({
    round_id: z.int().min(1),
    fix_cycle: cycle,
    sha: Sha,
    fixed: z.int().min(0),
    wontfix: z.int().min(0),
    disputed: z.int().min(0),
  }),
  review_fix_failed: z.strictObject({
    round_id: z.int().min(1),
    fix_cycle: cycle,
    cause: z.enum(['no_changes', 'agent_error', 'branch_gone', 'head_moved', 'other']),
    reason: z.string().max(2_000),
  }),
  re_review_created: z.strictObject({ head_sha: Sha, metadata: ReviewFixMetadata }),
  max_fix_cycles_exceeded: Escalation,
  review_escalated: Escalation,
} as const;

export type ReviewEventType = keyof typeof REVIEW_EVENTS;
export type ReviewEventPayload<Type extends ReviewEventType> = z.infer<(typeof REVIEW_EVENTS)[Type]>;

export function buildReviewEvent<Type extends ReviewEventType>(
  type: Type,
  about: Omit<RuntimeEvent, 'type' | 'payload'>,
  payload: ReviewEventPayload<Type>,
): RuntimeEvent {
  return { ...about, type, payload };
}
