import { z } from 'zod';

const RESOLUTIONS = ['fixed', 'wontfix', 'disputed'] as const;

/** The result of a fix, with the agent's answer to each finding. */
export const ReviewFixResult = z.strictObject({
  kind: z.literal('fix'),
  answers: z
    .array(
      z.strictObject({
        id: z.int().min(1),
        resolution: z.enum(RESOLUTIONS),
        note: z.string().min(1).max(8_000),
        /** True if the commits change the finding's file. MergeXO confirms a fix only then. */
        touchesFile: z.boolean(),
      }),
    )
    .max(50),
  summary: z.string().max(64_000),
  /** Why there is nothing to push; null if there are commits. */
  failure: z
    .strictObject({ cause: z.enum(['no_changes', 'agent_error', 'other']), reason: z.string().max(64_000) })
    .nullable(),
});
export type ReviewFixResult = z.infer<typeof ReviewFixResult>;
