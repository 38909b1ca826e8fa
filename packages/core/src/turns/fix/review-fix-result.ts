import { z } from 'zod';

export const RESOLUTIONS = ['fixed', 'wontfix', 'disputed'] as const;

/** What came of a fix, with the agent's word on each finding. */
export const ReviewFixResult = z.strictObject({
  kind: z.literal('fix'),
  answers: z
    .array(
      z.strictObject({
        id: z.int().min(1),
        resolution: z.enum(RESOLUTIONS),
        note: z.string().min(1).max(8_000),
        /** Whether the commits change the file of the finding: what is called fixed is believed only then. */
        touchesFile: z.boolean(),
      }),
    )
    .max(50),
  summary: z.string().max(64_000),
  /** Why nothing is pushed; null where there are commits. */
  failure: z
    .strictObject({ cause: z.enum(['no_changes', 'agent_error', 'other']), reason: z.string().max(64_000) })
    .nullable(),
});
export type ReviewFixResult = z.infer<typeof ReviewFixResult>;
