import { z } from 'zod';
import { CHECK_SOURCES } from '../../ci/check-run.js';
import { EVENT_KINDS, REVIEW_STATES } from '../../feedback/remark.js';
import { FLOWS } from '../../flows/flow.js';
import { AgentSession, Sha } from '../plan.js';

const Text = z.string();
const Said = { author: Text, body: Text, createdAt: Text, updatedAt: Text, url: Text };

/** Something new that must be answered in this turn. */
export const FeedbackEventContext = z.strictObject({
  key: Text,
  kind: z.enum(EVENT_KINDS),
  id: z.int(),
  /** The first comment of its thread, for a comment on lines. */
  rootId: z.int().nullable(),
  path: Text.nullable(),
  line: z.int().nullable(),
  side: Text.nullable(),
  /** The end of the diff that a comment on lines stands below; once for each thread. */
  diffHunk: Text.nullable().default(null),
  reviewState: z.enum(REVIEW_STATES).nullable(),
  /** Of a failed check: only workflow runs can be run again. */
  check: z
    .strictObject({ source: z.enum(CHECK_SOURCES), attempt: z.int() })
    .nullable()
    .default(null),
  ...Said,
});
export type FeedbackEventContext = z.infer<typeof FeedbackEventContext>;

export const SIGNALS = ['merge_conflict', 'base_moved'] as const;

/** What a feedback turn is about: stored when the turn opens; the head and what vanished are brought up to date at `begin`. */
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
  }),
  issue: z.strictObject({
    number: z.int(),
    title: Text,
    body: Text,
    author: Text,
    labels: z.array(Text),
    url: Text,
  }),
  events: z.array(FeedbackEventContext),
  /** What was said before in the threads of the new comments, in order. */
  reviewComments: z.array(
    z.strictObject({
      id: z.int(),
      inReplyToId: z.int().nullable(),
      path: Text,
      line: z.int().nullable(),
      ...Said,
    }),
  ),
  /** The conversation below the pull request, in order. */
  conversation: z.array(z.strictObject({ id: z.int(), ...Said })),
  signals: z.array(z.enum(SIGNALS)),
  /** Of the head, as far as they are known. */
  checks: z
    .array(z.strictObject({ name: Text, status: Text, conclusion: Text.nullable(), url: Text }))
    .default([]),
  /** Somebody asked for the base branch to be merged into the branch. */
  update: z.boolean().default(false),
  session: AgentSession,
  stateSummary: Text,
  previousActions: z.array(
    z.strictObject({ kind: Text, target: Text.nullable(), summary: Text, outcome: Text }),
  ),
  /** What was left out to stay within size, in words. */
  cuts: z.array(Text),
});
export type FeedbackContext = z.infer<typeof FeedbackContext>;
