import { z } from 'zod';
import { CheckStatus, PreviousAction } from '../../agent/turn-package.js';
import { CHECK_SOURCES } from '../../ci/check-run.js';
import { EVENT_KINDS, REVIEW_STATES } from '../../feedback/remark.js';
import { FLOWS } from '../../flows/flow.js';
import { AgentSession, Sha } from '../plan.js';
import { COMMENT_FIELDS, IssueContext, LINK_FIELDS, ORIGIN_FIELDS } from '../start/start-context.js';

const Text = z.string();

/** A new event that this turn must answer. */
export const FeedbackEventContext = z.strictObject({
  key: Text,
  kind: z.enum(EVENT_KINDS),
  id: z.int(),
  /** For a line comment: the first comment of its thread. */
  rootId: z.int().nullable(),
  path: Text.nullable(),
  /** The first line of a range that ends at `line`. */
  startLine: z.int().nullable().default(null),
  /** The start of a range that ends on the other side of the diff. `startLine` is then null. */
  startsAt: z.strictObject({ side: Text, line: z.int() }).exactOptional(),
  line: z.int().nullable(),
  side: Text.nullable(),
  /** For a comment whose code has changed since: its original lines and commit. `line` is then null. */
  outdated: z
    .strictObject({ sha: Sha, startLine: z.int().nullable(), line: z.int() })
    .nullable()
    .default(null),
  /** True for a comment in a resolved thread. */
  isResolved: z.boolean().default(false),
  /** The last diff lines before a line comment. Only one event per thread has them. */
  diffHunk: Text.nullable().default(null),
  reviewState: z.enum(REVIEW_STATES).nullable(),
  /** The source and attempt of a failed check; null for other events. Only workflow runs can be rerun. */
  check: z
    .strictObject({ source: z.enum(CHECK_SOURCES), attempt: z.int() })
    .nullable()
    .default(null),
  /** The log of a failed check; null if there is none, and for other events. */
  log: Text.nullable().default(null),
  /** True if the beginning of the log is missing. */
  isLogCut: z.boolean().exactOptional(),
  ...COMMENT_FIELDS,
});
export type FeedbackEventContext = z.infer<typeof FeedbackEventContext>;

export const SIGNALS = ['merge_conflict', 'base_moved'] as const;

/** The input of a feedback turn, stored when the turn opens. `begin` updates the head and removes deleted comments. */
export const FeedbackContext = z.strictObject({
  repo: Text,
  flow: z.enum(FLOWS),
  branch: Text,
  designDocPath: Text.nullable(),
  headSha: Sha,
  pull: z.strictObject({
    number: z.int(),
    title: Text,
    body: Text,
    author: Text,
    baseBranch: Text,
    url: Text,
    ...ORIGIN_FIELDS,
  }),
  issue: IssueContext,
  events: z.array(FeedbackEventContext),
  /** Earlier comments in the threads of the new comments, in order. */
  reviewComments: z.array(
    z.strictObject({
      id: z.int(),
      inReplyToId: z.int().nullable(),
      path: Text,
      line: z.int().nullable(),
      isResolved: z.boolean().default(false),
      ...COMMENT_FIELDS,
    }),
  ),
  /** Comments on the issue, in order. */
  issueComments: z.array(z.strictObject({ id: z.int(), ...COMMENT_FIELDS })).default([]),
  ...LINK_FIELDS,
  /** The conversation below the pull request, in order. */
  conversation: z.array(z.strictObject({ id: z.int(), ...COMMENT_FIELDS })),
  signals: z.array(z.enum(SIGNALS)),
  /** The known checks of the head. */
  checks: z.array(CheckStatus).default([]),
  /** True if somebody asked to merge the base branch. */
  update: z.boolean().default(false),
  session: AgentSession,
  stateSummary: Text,
  /** The agent's own posts, oldest first, each with the id of its comment on GitHub. */
  previousActions: z.array(PreviousAction.extend({ commentId: z.int().nullable().default(null) })),
  /** Descriptions of the parts that were cut to limit the size. */
  cuts: z.array(Text),
});
export type FeedbackContext = z.infer<typeof FeedbackContext>;
