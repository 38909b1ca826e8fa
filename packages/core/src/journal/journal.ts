import { z } from 'zod';
import { EVENT_KINDS } from '../feedback/remark.js';

export const JOURNAL_VERSION = 1;

/** One of MergeXO's own identifiers, such as a status or the code of a reason. Never text from outside. */
const Code = z.string().regex(/^[a-z][a-z0-9_-]{0,59}$/);
/** A name that stands for a login, a commit or another text, such as `person-2`. */
const Name = z.string().min(1).max(120);
const Text = z.string().max(200_000);
const Time = z.int().min(0).max(8.64e15);
const Count = z.int().min(0);
const Repo = Name.nullable();

export const TRUSTS = ['allowed', 'not_allowed', 'bot', 'ours'] as const;

/** The first line of a journal. */
export const JournalHeader = z.strictObject({
  journal: z.literal('mergexo'),
  version: z.literal(JOURNAL_VERSION),
  created_at: Time,
  texts: z.boolean(),
  logins: z.boolean(),
});
export type JournalHeader = z.infer<typeof JournalHeader>;

/** Each further line of a journal: something that MergeXO read, decided or sent. */
export const JournalEntry = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('run'),
    at: Time,
    repo: Repo,
    issue: Count,
    flow: Code,
    ordinal: Count,
    status: Code,
    hold: Code.nullable(),
    end: Code.nullable(),
    pr: Count.nullable(),
    title: Text.optional(),
  }),
  z.strictObject({
    kind: z.literal('comment'),
    /** When MergeXO read this version. */
    at: Time,
    /** When the author wrote this version, according to GitHub; null if unknown. */
    written_at: Time.nullable(),
    repo: Repo,
    thread: Count,
    form: z.enum(EVENT_KINDS),
    comment: Name,
    /** 1 for the first version that MergeXO read. */
    version: Count,
    author: Name,
    trust: z.enum(TRUSTS),
    reply_to: Name.nullable(),
    review: Name.nullable(),
    review_state: Code.nullable(),
    turn: Name.nullable(),
    skip: Code.nullable(),
    processed_at: Time.nullable(),
    text: Text.optional(),
  }),
  z.strictObject({
    kind: z.literal('turn'),
    at: Time,
    repo: Repo,
    turn: Name,
    turn_kind: Code,
    issue: Count.nullable(),
    pr: Count.nullable(),
    state: Code,
    attempts: Count,
    crashes: Count,
    agent_failures: Count,
    infrastructure_failures: Count,
    ended_at: Time.nullable(),
    reason: Text.optional(),
  }),
  z.strictObject({
    kind: z.literal('action'),
    at: Time,
    repo: Repo,
    turn: Name.nullable(),
    thread: Count,
    action: Code,
    state: Code,
    sends: Count,
    end: Code.nullable(),
    changed_at: Time,
  }),
  z.strictObject({
    kind: z.literal('event'),
    at: Time,
    repo: Repo,
    type: Code,
    issue: Count.nullable(),
    pr: Count.nullable(),
    turn: Name.nullable(),
    comment: Name.nullable(),
    facts: z.record(Code, z.union([z.number(), z.boolean(), Code])),
    texts: z.record(Code, Text).optional(),
  }),
]);
export type JournalEntry = z.infer<typeof JournalEntry>;
export type Journal = { header: JournalHeader; entries: JournalEntry[] };
