import { z } from 'zod';
import { commitMessage, freeText, MAX_BODY, text } from '../../agent/texts.js';

const ReviewReply = z.strictObject({ review_comment_id: z.int().min(1), body: text(MAX_BODY) });

/** The schema does not depend on the turn. `explainGaps` checks the ids, and that every event has an answer. */
export const FeedbackReply = z.strictObject({
  review_replies: z.array(ReviewReply).max(100),
  general_comment: freeText(MAX_BODY).nullable().default(null),
  commit_message: commitMessage().nullable().default(null),
  state_summary: text(20_000),
  blocked_reason: text(4_000).nullable().default(null),
  /** A failed run that the agent considers unrelated to the change. */
  flaky: z
    .strictObject({ run_id: z.int().min(1), reason: text(4_000) })
    .nullable()
    .default(null),
});

export type FeedbackOutput = z.infer<typeof FeedbackReply>;

export const FeedbackOutput: z.ZodType<FeedbackOutput> = FeedbackReply.superRefine((reply, context) => {
  const seen = new Set<number>();
  for (const [index, { review_comment_id }] of reply.review_replies.entries()) {
    if (seen.has(review_comment_id)) {
      context.addIssue({
        code: 'custom',
        path: ['review_replies', index, 'review_comment_id'],
        message: `comment ${review_comment_id} is answered twice; write one reply`,
      });
    }
    seen.add(review_comment_id);
  }
});
