import { z } from 'zod';

const id = z.number().int().positive();
const stamp = z.string();
/** When it came into being, for lists that lag. State from before it was kept counts as old. */
const bornMs = z.number().default(0);

export const Status = z.object({
  id,
  repoId: id,
  sha: z.string(),
  state: z.enum(['error', 'failure', 'pending', 'success']),
  context: z.string(),
  description: z.string().nullable(),
  targetUrl: z.string().nullable(),
  creatorId: id,
  createdAt: stamp,
  bornMs,
});
export type Status = z.infer<typeof Status>;

export const Progress = z.enum(['queued', 'in_progress', 'completed']);
export type Progress = z.infer<typeof Progress>;

export const Conclusion = z.enum([
  'success',
  'failure',
  'neutral',
  'cancelled',
  'skipped',
  'timed_out',
  'action_required',
]);
export type Conclusion = z.infer<typeof Conclusion>;

export const CheckSuite = z.object({
  id,
  repoId: id,
  sha: z.string(),
  /** Login of the app; `github-actions[bot]` for workflow runs. */
  app: z.string(),
});
export type CheckSuite = z.infer<typeof CheckSuite>;

export const CheckRun = z.object({
  id,
  repoId: id,
  suiteId: id,
  sha: z.string(),
  name: z.string(),
  status: Progress,
  conclusion: Conclusion.nullable(),
  startedAt: stamp.nullable(),
  completedAt: stamp.nullable(),
  bornMs,
});
export type CheckRun = z.infer<typeof CheckRun>;

export const WorkflowRun = z.object({
  id,
  repoId: id,
  suiteId: id,
  workflowId: id,
  name: z.string(),
  path: z.string(),
  title: z.string(),
  event: z.string(),
  branch: z.string().nullable(),
  sha: z.string(),
  runNumber: z.number().int(),
  attempt: z.number().int(),
  status: Progress,
  conclusion: Conclusion.nullable(),
  actorId: id,
  createdAt: stamp,
  updatedAt: stamp,
  startedAt: stamp,
  bornMs,
});
export type WorkflowRun = z.infer<typeof WorkflowRun>;

/** A job is shown as a check run too, under the same id, as on GitHub. */
export const Job = z.object({
  id,
  repoId: id,
  runId: id,
  attempt: z.number().int(),
  name: z.string(),
  status: Progress,
  conclusion: Conclusion.nullable(),
  createdAt: stamp,
  startedAt: stamp,
  completedAt: stamp.nullable(),
  log: z.string(),
  bornMs,
});
export type Job = z.infer<typeof Job>;
