import { z } from 'zod';
import { FLOWS } from '../../flows/flow.js';
import { AgentSession, Sha, WAIT_KINDS } from '../plan.js';

/** Work that is already on the branch, without a pull request. */
export const Checkpoint = z.strictObject({ branch: z.string(), sha: Sha });
export type Checkpoint = z.infer<typeof Checkpoint>;

const Text = z.string();

/** The fields of a comment, except its id. */
export const COMMENT_FIELDS = {
  author: Text,
  /** The author's association with the repository, such as OWNER or MEMBER. */
  role: Text.exactOptional(),
  body: Text,
  createdAt: Text,
  updatedAt: Text,
  url: Text,
};
const Comment = z.strictObject({ id: z.int(), ...COMMENT_FIELDS });

/** The role of an author, and the time of the text. Contexts of older versions lack them. */
export const ORIGIN_FIELDS = { role: Text.exactOptional(), createdAt: Text.exactOptional() };

/** Omits the role if the association is unknown or NONE. */
export function toRole(association: string | undefined): { role?: string } {
  return association === undefined || association === 'NONE' ? {} : { role: association };
}

export const IssueContext = z.strictObject({
  number: z.int(),
  title: Text,
  body: Text,
  author: Text,
  labels: z.array(Text),
  url: Text,
  ...ORIGIN_FIELDS,
});

export type IssueContext = z.infer<typeof IssueContext>;

/** An issue or pull request of the same repository that the issue or a comment mentions. */
export const LinkedThread = z.strictObject({
  number: z.int(),
  isPullRequest: z.boolean(),
  status: Text,
  title: Text,
  body: Text,
  author: Text,
  url: Text,
  ...ORIGIN_FIELDS,
});
export type LinkedThread = z.infer<typeof LinkedThread>;

/** The issues and pull requests that the texts of a turn mention. */
export const LINK_FIELDS = {
  linked: z.array(LinkedThread).default([]),
  /** The numbers of further ones, which MergeXO did not read. */
  unreadLinks: z.array(z.int()).default([]),
};
export type Links = { linked: LinkedThread[]; unreadLinks: number[] };

const Followup = z.strictObject({
  waitKind: z.enum(WAIT_KINDS),
  reason: z.string(),
  checkpoint: Checkpoint.nullable(),
  /** Comments since the wait began, oldest first; empty if an operator asked for a retry. */
  comments: z.array(Comment),
});
export type Followup = z.infer<typeof Followup>;

const Design = z.strictObject({
  path: z.string(),
  mergeSha: Sha,
  /** The pull request that merged the document; null if unknown. */
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
  /** Number of earlier threads that were left out. */
  omittedThreads: z.int().nonnegative().default(0),
});

/**
 * The input of a start turn, read from GitHub and stored when the turn opens, so that every attempt gets it unchanged.
 */
export const StartContext = z.strictObject({
  repo: z.string(),
  flow: z.enum(FLOWS),
  branch: z.string(),
  designDocPath: z.string().nullable(),
  issue: IssueContext,
  /** Comments on the issue by allowed people, in id order. */
  comments: z.array(Comment),
  ...LINK_FIELDS,
  /** The highest comment id on the issue when the turn opened. Later comments are not part of the turn. */
  consumedUpTo: z.int().default(0),
  /** Set if the work resumes after a wait. */
  followup: Followup.nullable().default(null),
  session: AgentSession.nullable().default(null),
  stateSummary: z.string().default(''),
  /** For an implementation: the merged design, and the decisions of its review. */
  design: Design.nullable().default(null),
});
export type StartContext = z.infer<typeof StartContext>;
