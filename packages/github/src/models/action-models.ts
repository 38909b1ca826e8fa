import { z } from 'zod';

/** One run of a workflow. Running it again keeps the id and raises the attempt. */
export const WorkflowRun = z
  .object({
    id: z.int(),
    name: z.string().nullish(),
    head_sha: z.string(),
    head_branch: z.string().nullish(),
    event: z.string(),
    status: z.string().nullish(),
    conclusion: z.string().nullish(),
    run_attempt: z.int().nullish(),
    html_url: z.string(),
    updated_at: z.string(),
  })
  .transform((run) => ({
    id: run.id,
    name: run.name ?? '',
    headSha: run.head_sha,
    headBranch: run.head_branch ?? null,
    event: run.event,
    /** `completed` when there is a conclusion; the other words are not all documented. */
    status: run.status ?? 'queued',
    conclusion: run.conclusion ?? null,
    attempt: run.run_attempt ?? 1,
    url: run.html_url,
    updatedAt: run.updated_at,
  }));
export type WorkflowRun = z.infer<typeof WorkflowRun>;

export const Job = z
  .object({ id: z.int(), name: z.string(), conclusion: z.string().nullish(), html_url: z.string().nullish() })
  .transform((job) => ({
    id: job.id,
    name: job.name,
    conclusion: job.conclusion ?? null,
    url: job.html_url ?? null,
  }));
export type Job = z.infer<typeof Job>;
