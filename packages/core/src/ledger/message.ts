import { z } from 'zod';
import { AgentStep, MAX_STEPS } from '../agent/agent-step.js';
import { UploadContent, UploadList } from '../attachments/upload.js';
import { Json } from '../basics/json.js';
import { Usage } from '../cost/usage.js';
import { CommitAuthor } from '../runs/commit-author.js';
import { PlanParcel } from '../turns/plan.js';
import { ReviewReply } from '../turns/review/review-output.js';
import { TURN_KINDS } from '../turns/turn-kind.js';
import { OPERATOR_FIELDS, RepoName, ThreadNumber } from './operator-fields.js';
import { Steered, SteerMessage } from './steer-message.js';
import { WorkerNotice } from './worker-notice.js';

const TurnKey = z.string().regex(/^[0-9a-f]{64}$/, 'expected a turn key');
const Count = z.int().min(0).max(999_999_999);
const Text = z.string().max(4_000);
const WorkerId = z.string().regex(/^[\w.@-]{1,120}$/, 'expected a worker id');

const Hmac = z.string().regex(/^[0-9a-f]{64}$/, 'expected an HMAC-SHA256 in hex');

/** Identifies the attempt in every message about it. `proof` shows that the attempt's worker sent the message. */
const Held = { turnKey: TurnKey, attempt: Count.min(1), proof: Hmac };

/** Hosts that the network policy refused. Optional, so that plans in the spool of an earlier version stay valid. */
const RefusedHosts = z
  .array(z.string().regex(/^[\w.:*?[\]-]{1,120}$/))
  .max(20)
  .optional();

/** Maximum number of steps in one message. */
export const MAX_BATCH = 50;

const HeadSha = z.string().regex(/^[0-9a-f]{40}$/, 'expected a full commit sha');

export const LedgerMessage = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('begin'),
    /** Chosen once per delivery of the job. A resent message keeps its id. */
    requestId: z.string().regex(/^[\w.@-]{1,200}$/),
    turnKey: TurnKey,
    epoch: Count.min(1),
    workerId: WorkerId,
  }),
  z.strictObject({
    kind: z.literal('freeze'),
    ...Held,
    parcel: PlanParcel,
    /** True for a plan without commits, which a single message freezes and finishes. */
    finished: z.boolean(),
    refusedHosts: RefusedHosts,
  }),
  z.strictObject({
    kind: z.literal('finish'),
    ...Held,
    /** `refused`: a rule of the remote forbids the push, so a retry would fail too. */
    outcome: z.enum(['pushed', 'superseded', 'refused']),
    reason: Text.nullable(),
  }),
  z.strictObject({
    kind: z.literal('fail'),
    ...Held,
    /** `unusable`: the answer was invalid even after a repair, so a retry would not help. */
    cause: z.enum(['agent', 'unusable', 'infrastructure']),
    reason: Text,
    retryAfterMs: Count.nullable(),
    /** Usage of the failed attempt, which costs money too. */
    usage: Usage,
    /** The adapter whose provider rejects work until the retry. All turns of this adapter wait or use a fallback. */
    limitedAdapter: z.string().max(80).optional(),
    /** A reviewer's answer, which is paid for. The next attempt of the review continues with it. */
    reported: ReviewReply.optional(),
    refusedHosts: RefusedHosts,
  }),
  z.strictObject({
    kind: z.literal('release'),
    ...Held,
    reason: Text,
    /** Usage of an attempt that was stopped. Absent if the agent reported none. */
    usage: Usage.optional(),
  }),
  z.strictObject({
    kind: z.literal('progress'),
    ...Held,
    sequence: Count,
    step: z.string().max(80),
  }),
  /** What the agent does, for people who watch the turn. Changes no turn. */
  z.strictObject({
    kind: z.literal('steps'),
    ...Held,
    /** The position of the first of these steps in the attempt. A resent message has the same position and steps. */
    first: Count.max(MAX_STEPS),
    steps: z.array(AgentStep).min(1).max(MAX_BATCH),
  }),
  /** Asks for a file that people uploaded, by its position in the list that `begin` returned. */
  z.strictObject({ kind: z.literal('attachment'), ...Held, number: Count.min(1) }),
  /** Asks for a token for the turn's repository. Each request of an attempt has its own number. */
  z.strictObject({ kind: z.literal('credential'), ...Held, number: Count }),
  z.strictObject({
    kind: z.literal('heartbeat'),
    workerId: WorkerId,
    sequence: Count,
    host: z.string().max(255),
    pid: Count,
    notices: z.array(WorkerNotice).max(20).optional(),
    /** Set on the last heartbeat of a worker that shuts down. */
    leaving: z.literal(true).optional(),
  }),
  /** An operator's request to resume blocked pull requests and issues, sent to the poller that owns the state. */
  z.strictObject({
    kind: z.literal('reset'),
    ...OPERATOR_FIELDS,
    /** Null resumes all blocked work. */
    pulls: z
      .array(
        z.union([
          z.strictObject({ repo: RepoName.nullable(), prNumber: ThreadNumber }),
          /** An issue whose work was blocked before it had a pull request. */
          z.strictObject({ repo: RepoName.nullable(), issueNumber: ThreadNumber }),
        ]),
      )
      .min(1)
      .max(1_000)
      .nullable(),
    /** Limits a reset of all blocked work to this repository. */
    repo: RepoName.nullable(),
    /** The new accepted head; null keeps the current head. Allowed only for a single pull request. */
    headSha: HeadSha.nullable(),
  }),
  SteerMessage,
]);
export type LedgerMessage = z.infer<typeof LedgerMessage>;
/** A message before its sender adds the proof. */
export type LedgerDraft = WithoutProof<LedgerMessage>;
type WithoutProof<Message> = Message extends { proof: string } ? Omit<Message, 'proof'> : Message;
export type MessageOf<Kind extends LedgerMessage['kind']> = Extract<LedgerDraft, { kind: Kind }>;
export type BeginMessage = MessageOf<'begin'>;
export type FreezeMessage = Extract<LedgerMessage, { kind: 'freeze' }>;
export type FailMessage = MessageOf<'fail'>;
export type HeartbeatMessage = MessageOf<'heartbeat'>;
export type AttachmentMessage = Extract<LedgerMessage, { kind: 'attachment' }>;
export type CredentialMessage = Extract<LedgerMessage, { kind: 'credential' }>;
export type StepsMessage = Extract<LedgerMessage, { kind: 'steps' }>;
export type ResetMessage = MessageOf<'reset'>;
export type OperatorMessage = MessageOf<'reset' | 'steer'>;

/** The authoritative turn, which the poller returns in reply to `begin`. Workers use it instead of the job's data. */
const Begun = z.strictObject({
  kind: z.literal('begun'),
  turnKey: TurnKey,
  attempt: Count.min(1),
  /** Part of the key for the proof in every later message of this attempt. No other message contains the secret. */
  secret: Hmac,
  turnKind: z.enum(TURN_KINDS),
  repoId: z.int(),
  issueNumber: z.int().nullable(),
  prNumber: z.int().nullable(),
  /** The turn package, stored when the turn opened. */
  context: Json,
  frozen: PlanParcel.nullable(),
  /** The fallback adapter that runs the turn. Absent if the repository's own agent runs it. */
  adapter: z.string().max(80).optional(),
  /** The author of the turn's commits. The worker cannot look up the login, because it has no access to GitHub. */
  author: CommitAuthor,
  /** Set if MergeXO runs as a GitHub App: the worker asks for short-lived tokens and has no login. */
  asksForToken: z.literal(true).optional(),
  /** The files that people uploaded with the texts of the turn. Absent if there are none. */
  uploads: UploadList.optional(),
});
/** Omits the secret, because only the sender of messages needs it. */
export type BegunTurn = Omit<z.infer<typeof Begun>, 'secret'>;

const Refused = z.strictObject({ kind: z.literal('refused'), reason: Text });
/** The turn was blocked, closed or taken over while a worker held it. The worker stops, as it does after a refusal. */
const Stop = z.strictObject({ kind: z.literal('stop'), reason: Text });
const RetryLater = z.strictObject({ kind: z.literal('retry-later'), delayMs: Count, reason: Text });

const ResetDone = z.strictObject({
  kind: z.literal('reset'),
  pulls: z.array(
    z.strictObject({
      repo: z.string(),
      /** Null if the work was blocked before it had a pull request. */
      prNumber: ThreadNumber.nullable(),
      issueNumber: z.int(),
      /** Why the work was blocked. */
      blockedKind: z.string().nullable(),
      reason: z.string().nullable(),
      /** The provider limit that delays a retry. */
      limit: z.strictObject({ adapter: z.string(), until: z.int() }).nullable(),
      /** The new accepted head, and the latest head that the poller read from GitHub. */
      acceptedHeadSha: z.string().nullable(),
      headSha: z.string().nullable(),
      waitingComments: z.int(),
    }),
  ),
});

export const LedgerAnswer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ok') }),
  Begun,
  RetryLater,
  Stop,
  Refused,
  ResetDone,
  Steered,
  z.strictObject({ kind: z.literal('attachment'), content: UploadContent }),
  z.strictObject({
    kind: z.literal('credential'),
    /** The token, encrypted for the worker of the attempt. */
    sealed: z.string().max(8_000),
    /** The remaining life of the token, in milliseconds. */
    lifetimeMs: Count,
  }),
]);
export type LedgerAnswer = z.infer<typeof LedgerAnswer>;

/** Builds the id of a message's job. A resent message has the same id, so a duplicate creates no second job. */
export function buildRequestId(message: LedgerDraft): string {
  switch (message.kind) {
    case 'begin':
      return `begin-${message.requestId}`;
    case 'reset':
    case 'steer':
      return `${message.kind}-${message.requestId}`;
    case 'heartbeat':
      return `heartbeat-${message.workerId}-${message.leaving ? 'last' : message.sequence}`;
    case 'progress':
      return `progress-${message.turnKey}-${message.attempt}-${message.sequence}`;
    case 'steps':
      return `steps-${message.turnKey}-${message.attempt}-${message.first}`;
    case 'attachment':
    case 'credential':
      return `${message.kind}-${message.turnKey}-${message.attempt}-${message.number}`;
    default:
      return `${message.kind}-${message.turnKey}-${message.attempt}`;
  }
}
