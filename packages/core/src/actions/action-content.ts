import { z } from 'zod';
import { Sha } from '../basics/sha.js';
import type { ActionKind } from './action-kind.js';

const Text = z.strictObject({ text: z.string() });
const Head = z.strictObject({ headSha: z.string() });

/**
 * The content of each kind of action, as decided when the action was planned. If the payload is null, MergeXO renders
 * the post from the frozen plan and the records when it sends the action.
 */
export const ActionContent = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.enum([
      'open_pull',
      'status_comment',
      'review_reply',
      'resolve_thread',
      'rerun_checks',
      'thread_link',
    ]),
    payload: z.null(),
  }),
  // A payload with text is for a notice, or for a comment that replaces a refused reply or review.
  z.strictObject({
    kind: z.enum(['wait_comment', 'general_comment', 'post_review']),
    payload: Text.nullable(),
  }),
  z.strictObject({ kind: z.enum(['finding_reply', 'fix_summary']), payload: Text }),
  z.strictObject({
    kind: z.enum([
      'escalation_notice',
      'resume_notice',
      'command_reply',
      'block_notice',
      'park_notice',
      'redirect',
      'close_notice',
      'conflict_notice',
      'document_notice',
      'reviewer_notice',
    ]),
    payload: Text,
  }),
  z.strictObject({
    kind: z.literal('unblock_notice'),
    payload: Text.extend({ acceptedHeadSha: Sha.nullable() }),
  }),
  z.strictObject({ kind: z.literal('review_status'), payload: Head.nullable() }),
  z.strictObject({ kind: z.enum(['review_failed_status', 'review_skipped_status']), payload: Head }),
  z.strictObject({
    kind: z.enum(['escalation_label', 'escalation_unlabel']),
    payload: z.strictObject({ label: z.string() }),
  }),
  z.strictObject({ kind: z.literal('review_request'), payload: z.strictObject({ login: z.string() }) }),
  z.strictObject({
    kind: z.literal('update_body'),
    payload: z.strictObject({ drift: z.array(z.string()).readonly() }),
  }),
]);
type Grouped = z.infer<typeof ActionContent>;
type PayloadOf<Kind, Group = Grouped> = Group extends { kind: infer Kinds; payload: infer Payload }
  ? Kind extends Kinds
    ? Payload
    : never
  : never;

/** The content of the given kinds. A kind that is missing above gets the payload `never`, so it cannot be planned. */
export type ActionContent<Kind extends ActionKind = ActionKind> = {
  [One in Kind]: { kind: One; payload: PayloadOf<One> };
}[Kind];
