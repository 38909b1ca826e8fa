import { z } from 'zod';
import { orNull, row, text } from './row.js';

/** One run of a workflow. A rerun keeps the id and raises `attempt`. */
export const WorkflowRun = row({
  id: ['id', z.int()],
  name: ['name', text],
  headSha: ['head_sha', z.string()],
  event: ['event', z.string()],
  /** `completed` if there is a conclusion. GitHub does not document all other values. */
  status: ['status', orNull(z.string()).transform((status) => status ?? 'queued')],
  conclusion: ['conclusion', orNull(z.string())],
  attempt: ['run_attempt', orNull(z.int()).transform((attempt) => attempt ?? 1)],
  url: ['html_url', z.string()],
  updatedAt: ['updated_at', z.string()],
});
export type WorkflowRun = z.infer<typeof WorkflowRun>;

export const Job = row({
  id: ['id', z.int()],
  name: ['name', z.string()],
  conclusion: ['conclusion', orNull(z.string())],
  url: ['html_url', orNull(z.string())],
});
export type Job = z.infer<typeof Job>;
