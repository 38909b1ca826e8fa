import { z } from 'zod';
import { Json } from '../basics/json.js';
import { CommitAuthor } from '../runs/commit-author.js';
import { PlanParcel, Usage } from '../turns/plan.js';
import { TURN_KINDS } from '../turns/turn-kind.js';

const TurnKey = z.string().regex(/^[0-9a-f]{64}$/, 'expected a turn key');
const Count = z.int().min(0).max(999_999_999);
const Text = z.string().max(4_000);
const WorkerId = z.string().regex(/^[\w.@-]{1,120}$/, 'expected a worker id');

/** What a worker must know and repeat to speak for its attempt. */
const Held = { turnKey: TurnKey, attempt: Count.min(1) };

export const BeginMessage = z.strictObject({
  kind: z.literal('begin'),
  /** Chosen once per delivery of the job and kept for every repetition of the message. */
  requestId: z.string().regex(/^[\w.@-]{1,200}$/),
  turnKey: TurnKey,
  epoch: Count.min(1),
  workerId: WorkerId,
});
export const FreezeMessage = z.strictObject({
  kind: z.literal('freeze'),
  ...Held,
  parcel: PlanParcel,
  /** A plan without commits is frozen and finished in one message. */
  finished: z.boolean(),
});
export const FinishMessage = z.strictObject({
  kind: z.literal('finish'),
  ...Held,
  /** `refused`: a rule of the remote forbids the push, and will forbid it again. */
  outcome: z.enum(['pushed', 'superseded', 'refused']),
  reason: Text.nullable(),
});
export const FailMessage = z.strictObject({
  kind: z.literal('fail'),
  ...Held,
  /** `unusable`: the agent answered, but not as it must, also after a repair; asking again would not help. */
  cause: z.enum(['agent', 'unusable', 'infrastructure']),
  reason: Text,
  retryAfterMs: Count.nullable(),
  /** A failed attempt costs as well. */
  usage: Usage,
  /** The adapter whose provider takes no more work before the retry: every turn of it waits. */
  limitedAdapter: z.string().max(80).optional(),
});
export const ReleaseMessage = z.strictObject({ kind: z.literal('release'), ...Held, reason: Text });
export const ProgressMessage = z.strictObject({
  kind: z.literal('progress'),
  ...Held,
  sequence: Count,
  step: z.string().max(80),
});
export const HeartbeatMessage = z.strictObject({
  kind: z.literal('heartbeat'),
  workerId: WorkerId,
  sequence: Count,
  host: z.string().max(255),
  pid: Count,
  /** The last one of a worker that stops: nobody waits for more. */
  leaving: z.literal(true).optional(),
});

const RepoName = z.string().regex(/^[\w.-]{1,100}\/[\w.-]{1,100}$/, 'expected owner/name');
const PrNumber = z.int().min(1);
const HeadSha = z.string().regex(/^[0-9a-f]{40}$/, 'expected a full commit sha');

/** An operator's request to resume blocked pull requests and issues. For the poller that owns the state. */
export const ResetMessage = z.strictObject({
  kind: z.literal('reset'),
  /** Chosen once per command and kept for every repetition. */
  requestId: z.string().regex(/^[\w-]{1,100}$/),
  /** Where the operator said it. */
  by: z.enum(['cli', 'dashboard']),
  /** By then nobody waits for the answer any more, and what it was about may have changed. */
  expiresAt: z.int().min(0),
  /** Null: every blocked one. */
  pulls: z
    .array(
      z.union([
        z.strictObject({ repo: RepoName.nullable(), prNumber: PrNumber }),
        /** An issue whose work was blocked before it had a pull request. */
        z.strictObject({ repo: RepoName.nullable(), issueNumber: PrNumber }),
      ]),
    )
    .min(1)
    .max(1_000)
    .nullable(),
  /** For every blocked one: only of this repository. */
  repo: RepoName.nullable(),
  /** The head from which history grows from now on; null keeps the accepted one. For one pull request only. */
  headSha: HeadSha.nullable(),
  /** Proof that it comes from whoever has the poller's secret; null where the state is changed without the queue. */
  signature: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
});

export const LedgerMessage = z.discriminatedUnion('kind', [
  BeginMessage,
  FreezeMessage,
  FinishMessage,
  FailMessage,
  ReleaseMessage,
  ProgressMessage,
  HeartbeatMessage,
  ResetMessage,
]);
export type LedgerMessage = z.infer<typeof LedgerMessage>;
export type BeginMessage = z.infer<typeof BeginMessage>;
export type FreezeMessage = z.infer<typeof FreezeMessage>;
export type FinishMessage = z.infer<typeof FinishMessage>;
export type FailMessage = z.infer<typeof FailMessage>;
export type ReleaseMessage = z.infer<typeof ReleaseMessage>;
export type ProgressMessage = z.infer<typeof ProgressMessage>;
export type HeartbeatMessage = z.infer<typeof HeartbeatMessage>;
export type ResetMessage = z.infer<typeof ResetMessage>;

/** What `begin` tells the worker: the authoritative turn, whatever the job said. */
export const BegunTurn = z.strictObject({
  kind: z.literal('begun'),
  turnKey: TurnKey,
  attempt: Count.min(1),
  turnKind: z.enum(TURN_KINDS),
  repoId: z.int(),
  issueNumber: z.int().nullable(),
  prNumber: z.int().nullable(),
  /** The turn package that was stored when the turn opened. */
  context: Json,
  frozen: PlanParcel.nullable(),
  /** Of the commits that the turn makes: the worker cannot ask GitHub who posts. */
  author: CommitAuthor,
});
export type BegunTurn = z.infer<typeof BegunTurn>;

const Refused = z.strictObject({ kind: z.literal('refused'), reason: Text });
/** A turn that ended under its worker (blocked, closed, taken over). Like a refusal it means: stop. */
const Stop = z.strictObject({ kind: z.literal('stop'), reason: Text });
const RetryLater = z.strictObject({ kind: z.literal('retry-later'), delayMs: Count, reason: Text });

const ResetDone = z.strictObject({
  kind: z.literal('reset'),
  pulls: z.array(
    z.strictObject({
      repo: z.string(),
      /** Null: the work was blocked before it had a pull request. */
      prNumber: PrNumber.nullable(),
      issueNumber: z.int(),
      /** Why it was blocked. */
      blockedKind: z.string().nullable(),
      reason: z.string().nullable(),
      /** The limit of the agent's provider that a retry waits for. */
      limit: z.strictObject({ adapter: z.string(), until: z.int() }).nullable(),
      /** The accepted head from now on, and the one that GitHub showed last. */
      acceptedHeadSha: z.string().nullable(),
      headSha: z.string().nullable(),
      waitingComments: z.int(),
    }),
  ),
});

export const LedgerAnswer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ok') }),
  BegunTurn,
  RetryLater,
  Stop,
  Refused,
  ResetDone,
]);
export type LedgerAnswer = z.infer<typeof LedgerAnswer>;

/** The same message always travels under the same id, so a duplicate is one job and one answer. */
export function buildRequestId(message: LedgerMessage): string {
  switch (message.kind) {
    case 'begin':
      return `begin-${message.requestId}`;
    case 'reset':
      return `reset-${message.requestId}`;
    case 'heartbeat':
      return `heartbeat-${message.workerId}-${message.leaving ? 'last' : message.sequence}`;
    case 'progress':
      return `progress-${message.turnKey}-${message.attempt}-${message.sequence}`;
    default:
      return `${message.kind}-${message.turnKey}-${message.attempt}`;
  }
}
