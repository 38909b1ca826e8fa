import { z } from 'zod';

/** The repository and agents that a results directory belongs to. Results of different agents must not be mixed. */
const EvalSubject = z.strictObject({ repo: z.string(), agent: z.string(), reviewAgent: z.string() });
export type EvalSubject = z.infer<typeof EvalSubject>;

/** The pull requests of an evaluation are chosen once, so that a later run measures the same pull requests. */
export const EvalRecord = z.strictObject({ subject: EvalSubject, pulls: z.array(z.int().min(1)) });
export type EvalRecord = z.infer<typeof EvalRecord>;
