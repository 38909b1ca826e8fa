import { z } from 'zod';
import { FLOWS } from '../../flows/flow.js';
import { AgentSession, Sha, WAIT_KINDS } from '../plan.js';

/** Work that is on the branch already, without a pull request. */
export const Checkpoint = z.strictObject({ branch: z.string(), sha: Sha });
export type Checkpoint = z.infer<typeof Checkpoint>;

const Said = z.strictObject({
  id: z.int(),
  author: z.string(),
  body: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  url: z.string(),
});

const Followup = z.strictObject({
  waitKind: z.enum(WAIT_KINDS),
  reason: z.string(),
  checkpoint: Checkpoint.nullable(),
  /** What people said since, oldest first; none where an operator asked to try again. */
  comments: z.array(Said),
});
export type Followup = z.infer<typeof Followup>;

const Design = z.strictObject({
  path: z.string(),
  mergeSha: Sha,
  /** The pull request that brought the document into the default branch; null where that is not on record. */
  prNumber: z.int().nullable().default(null),
  stateSummary: z.string().nullable(),
  answeredThreads: z.array(
    z.strictObject({
      path: z.string().nullable(),
      line: z.int().nullable(),
      author: z.string(),
      asked: z.string(),
      answered: z.string(),
    }),
  ),
});

/** What a start turn is about, read from GitHub and stored when the turn opens: every attempt sees the same. */
export const StartContext = z.strictObject({
  repo: z.string(),
  flow: z.enum(FLOWS),
  branch: z.string(),
  designDocPath: z.string().nullable(),
  issue: z.strictObject({
    number: z.int(),
    title: z.string(),
    body: z.string(),
    author: z.string(),
    labels: z.array(z.string()),
    url: z.string(),
  }),
  /** What allowed people said on the issue, in the order of their ids. */
  comments: z.array(Said),
  /** The highest id of any comment on the issue when the turn opened: what comes later is not part of it. */
  consumedUpTo: z.int().default(0),
  /** Set when the work goes on after a wait. */
  followup: Followup.nullable().default(null),
  session: AgentSession.nullable().default(null),
  stateSummary: z.string().default(''),
  /** Of an implementation: the merged design, and what was agreed in its review. */
  design: Design.nullable().default(null),
});
export type StartContext = z.infer<typeof StartContext>;
