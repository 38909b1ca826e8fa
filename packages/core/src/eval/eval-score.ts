import { z } from 'zod';
import { Usage } from '../cost/usage.js';
import { REPLAYS } from './eval-case.js';

const Share = z.number().min(0).max(1);

/** The result of one replay. A measure that does not apply to the replay, or that could not be taken, is null. */
export const EvalScore = z.strictObject({
  prNumber: z.int(),
  replay: z.enum(REPLAYS),
  /** The item that was removed from the agent's input; null for the complete input. */
  without: z.string().nullable(),
  /** `skipped`: the replay is impossible, for example because a commit is missing. Averages exclude it. */
  outcome: z.enum(['done', 'unfinished', 'failed', 'skipped']),
  /** Why the replay is not `done`. */
  reason: z.string().nullable(),
  /** True if `required_tests` pass on the agent's result with the merged pull request's tests. */
  testsPass: z.boolean().nullable(),
  /** True if `required_tests` fail on the agent's result with the tests of the base. */
  regressed: z.boolean().nullable(),
  /** Jaccard index of the files that the agent changed and the files in the real change. */
  fileOverlap: Share.nullable(),
  /** Number of lines that the agent changed, relative to the real change. */
  sizeRatio: z.number().min(0).nullable(),
  commentsFound: z.int().min(0).nullable(),
  commentsTotal: z.int().min(0).nullable(),
  findings: z.int().min(0).nullable(),
  findingsRefuted: z.int().min(0).nullable(),
  usage: Usage,
  minutes: z.number().min(0),
});
export type EvalScore = z.infer<typeof EvalScore>;

/** The measures of a replay that has no result. */
export const NO_MEASURES = {
  testsPass: null,
  regressed: null,
  fileOverlap: null,
  sizeRatio: null,
  commentsFound: null,
  commentsTotal: null,
  findings: null,
  findingsRefuted: null,
} as const;
