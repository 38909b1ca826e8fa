import { z } from 'zod';
import { orNull, row, text } from './row.js';

/** One run of a workflow. A rerun keeps the id and raises `attempt`. */
export const WorkflowRun = row({
  id: ['id', z.int()],
  name: ['name', text],
  headSha: ['head_sha', z.string()],
  /** The repository of the branch; null if it was deleted. A pull request from a fork can have any head. */
  headRepoId: ['head_repository', orNull(z.object({ id: z.int() })).transform((repo) => repo?.id ?? null)],
  event: ['event', z.string()],
  /** `completed` if there is a conclusion. GitHub does not document all other values. */
  status: ['status', orNull(z.string()).transform((status) => status ?? 'queued')],
  conclusion: ['conclusion', orNull(z.string())],
  attempt: ['run_attempt', orNull(z.int()).transform((attempt) => attempt ?? 1)],
  url: ['html_url', z.string()],
  updatedAt: ['updated_at', z.string()],
});
export type WorkflowRun = z.infer<typeof WorkflowRun>;

const FAILED_STEP: readonly (string | null)[] = ['failure', 'timed_out'];

const Step = z.object({ name: z.string(), conclusion: orNull(z.string()) });

/** Keeps only the names of the failed steps. A job that never started has no steps. */
const FailedSteps = orNull(z.array(Step)).transform((steps) =>
  (steps ?? []).filter(({ conclusion }) => FAILED_STEP.includes(conclusion)).map(({ name }) => name),
);

export const Job = row({
  id: ['id', z.int()],
  name: ['name', z.string()],
  conclusion: ['conclusion', orNull(z.string())],
  url: ['html_url', orNull(z.string())],
  failedSteps: ['steps', FailedSteps],
});
export type Job = z.infer<typeof Job>;
