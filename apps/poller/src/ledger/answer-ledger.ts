import { isDeepStrictEqual } from 'node:util';
import { planActions } from '@mergexo/core/actions';
import { failpoint, isDeeperThan } from '@mergexo/core/basics';
import {
  type BeginMessage,
  isProven,
  type LedgerAnswer,
  LedgerMessage,
  type MessageOf,
  nameIn,
  OPERATOR,
  type Step,
  stepTurn,
  type TurnMessage,
} from '@mergexo/core/ledger';
import type { SigningKeys } from '@mergexo/core/outbox';
import type { CommitAuthor } from '@mergexo/core/runs';
import { buildTurnEvent } from '@mergexo/core/timeline';
import {
  attemptOf,
  boundUsage,
  FeedbackContext,
  isCarried,
  StartContext,
  type TroubleKind,
  type Turn,
  type Usage,
  type WaitKind,
} from '@mergexo/core/turns';
import type { TurnQueue, VerifiedMessage } from '@mergexo/queue';
import type { State } from '@mergexo/state';
import { resetBlocked } from '../commands/reset-blocked.js';
import { steerWork } from '../commands/steer-work.js';
import {
  type AgentsOf,
  findFallback,
  mayRun,
  noteAgentLimit,
  shortenWait,
} from '../lifecycle/agent-limits.js';
import { blockPullOf } from '../lifecycle/block-pull.js';
import { readPauseOf } from '../lifecycle/pause.js';
import { readPullOf, readRunOf } from '../lifecycle/read-pull-of.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { completeFix, failFix } from '../lifecycle/review/end-fix.js';
import { keepReported } from '../lifecycle/review/keep-reported.js';
import { noteFollowup } from '../lifecycle/run/end-start.js';
import { blockRunOf, restartSuperseded, type Stop } from '../lifecycle/run/stop-run.js';
import { settleTurn } from '../lifecycle/settle-turn.js';
import { saveHeartbeat, saveStep } from '../lifecycle/turn.js';
import { updatePull } from '../lifecycle/update.js';
import { later, type Refreshed, waitForResume } from '../refreshed.js';
import type { Records } from '../tools.js';
import { answerAttachment, type Uploads } from './answer-attachment.js';
import { answerSteps } from './answer-steps.js';
import { type Billing, bookSpend } from './book-spend.js';
import { buildAnswer } from './build-answer.js';
import { describeStep } from './describe-step.js';
import { explainForeignPlan } from './explain-foreign-plan.js';
import type { HolderSilence } from './holder-silence.js';
import { planFixActions } from './plan-fix-actions.js';
import { enqueueTurns } from './queue/enqueue-turns.js';
import { refuseForeign, refuseUnproven, setAside } from './refuse-message.js';
import type { ReportLimit } from './report-limit.js';
import { answerCredential } from './tokens/answer-credential.js';
import type { WorkerTokens } from './tokens/worker-tokens.js';
import { noteWorker } from './watch-workers.js';

export type LedgerTools = Records & {
  queue: Pick<TurnQueue, 'enqueueTurns' | 'prioritiseTurns'>;
  silence: HolderSilence;
  mayReport: ReportLimit;
  keys: SigningKeys;
  agentsOf: AgentsOf;
  /** Reads GitHub before a turn starts. Only `begin` and `attachment` messages wait for GitHub. */
  refresh: (turn: Turn) => Promise<Refreshed>;
  /** Author of the agents' commits. Undefined until GitHub has confirmed the login. */
  author: () => CommitAuthor | undefined;
  uploads: Uploads;
  billing: Billing;
  /** Absent if workers use their own login. */
  tokens?: WorkerTokens | undefined;
};

/** Maximum nesting of a message. The deepest valid message, a plan, needs about half of this depth. */
const MAX_DEPTH = 16;

/**
 * Handles each message in one transaction. If the poller crashes before the commit, nothing has changed, and
 * the worker asks again. If it crashes after the commit, the repeated message gets the same answer.
 */
export async function answerLedger(
  tools: LedgerTools,
  { message: raw, from }: VerifiedMessage,
): Promise<LedgerAnswer> {
  if (isDeeperThan(raw, MAX_DEPTH)) return setAside(tools, null, from);
  const parsed = LedgerMessage.safeParse(raw);
  if (!parsed.success) return setAside(tools, raw, from);
  const message = parsed.data;
  if (!maySend(message, from)) return refuseForeign(tools, message, from);
  if (message.kind === 'heartbeat') return noteWorker(tools, message);
  if (message.kind === 'reset') return resetBlocked(tools, message);
  if (message.kind === 'steer') return steerWork(tools, message);
  if (message.kind === 'attachment') return answerAttachment(tools, message, from);
  if (message.kind === 'credential') return answerCredential(tools, message, from);
  if (message.kind === 'steps') return answerSteps(tools, message, from);

  if (message.kind === 'begin') {
    if (tools.author() === undefined) return later('the poller has not reached GitHub yet');
    const refreshed = await refreshUnlessBegun(tools, message);
    if (refreshed.kind !== 'fresh') return refreshed;
  }
  if (message.kind === 'freeze') failpoint('poller:freeze-read');
  const applied = tools.state.transaction(() => apply(tools, message, from));
  passFailpoint(message);
  if (applied === undefined) return { kind: 'refused', reason: 'no such turn' };
  const { before, turn, answer, isRepeat } = applied;
  // A repeated message does not show that the worker is alive: anybody who can write to Redis can repeat it.
  if (!isRepeat && (answer.kind === 'ok' || answer.kind === 'begun')) tools.silence.heard(turn.turnKey);
  if (!isCarried(turn)) tools.silence.forget(turn.turnKey);
  // If Redis is down, the next `reconcile` enqueues the turn.
  if (turn.epoch > before.epoch && isCarried(turn)) await enqueueTurns(tools, [turn]);
  return answer;
}

/**
 * True if the sender may send this message. Accepts any sender for messages about an attempt, because a worker may
 * deliver a dead worker's plan. The proof in the message is checked later.
 */
function maySend(message: LedgerMessage, from: string): boolean {
  switch (message.kind) {
    case 'reset':
    case 'steer':
      return from === OPERATOR;
    case 'heartbeat':
      return nameIn(message.workerId) === from;
    case 'begin':
      return nameIn(message.workerId) === from && nameIn(message.requestId) === from;
    default:
      return true;
  }
}

/** Skips the GitHub requests if the `begin` is a repeat or will be refused anyway. */
async function refreshUnlessBegun(tools: LedgerTools, message: BeginMessage): Promise<Refreshed> {
  const turn = tools.state.readTurn(message.turnKey);
  if (turn === undefined) return { kind: 'fresh' };
  const facts = { now: tools.now(), ...tools.silence.factsAbout(turn.turnKey) };
  const { verdict, turn: next } = stepTurn(turn, message, facts);
  if (verdict.kind !== 'begun' || next === turn) return { kind: 'fresh' };
  return tools.refresh(turn);
}

/** Crash point for tests: the message is saved, but the worker has no answer yet. */
function passFailpoint({ kind }: TurnMessage): void {
  if (kind === 'begin') failpoint('poller:begin-written');
  if (kind === 'freeze') failpoint('poller:freeze-written');
  if (kind === 'finish') failpoint('poller:finish-written');
}

function apply(
  tools: LedgerTools,
  message: TurnMessage & LedgerMessage,
  from: string,
): { before: Turn; turn: Turn; answer: LedgerAnswer; isRepeat: boolean } | undefined {
  const { state, silence, now, keys } = tools;
  const before = state.readTurn(message.turnKey);
  const mayReport = () =>
    tools.mayReport(from, message.kind === 'begin' ? message.workerId : message.turnKey);
  if (before === undefined) {
    const payload = { message: message.kind, reason: 'no such turn', turn: message.turnKey };
    if (mayReport()) recordEvents(tools, [{ type: 'ledger_refused', payload }]);
    return undefined;
  }
  if (message.kind !== 'begin' && !isProven(message, before, keys.current)) {
    const answer = refuseUnproven(tools, { turn: before, message, from });
    return { before, turn: before, answer, isRepeat: false };
  }
  bookReport(tools, before, message);
  const foreign =
    message.kind === 'freeze' ? explainForeignPlan(state, before, message.parcel.plan) : undefined;
  const step: Step = foreign
    ? { turn: before, verdict: { kind: 'refused', reason: foreign } }
    : stepTurn(before, shortenWait(tools, before, message), {
        now: now(),
        ...silence.factsAbout(before.turnKey),
      });
  // Checked here too, because an operator may pause while the poller reads GitHub.
  const pause =
    step.verdict.kind === 'begun' && step.turn !== before ? readPauseOf(state, before) : undefined;
  if (pause !== undefined) return { before, turn: before, answer: waitForResume(pause), isRepeat: false };
  const fallback = findFallback(tools, step);
  store(tools, { before, step, message });
  const events = describeStep(before, step, { message, fallback });
  recordEvents(
    tools,
    events.filter(({ type }) => type !== 'ledger_refused' || mayReport()),
  );
  if (step.verdict.kind === 'begun' && attemptOf(step.turn) === 1 && attemptOf(before) === 0)
    noteResumed(tools, step.turn);
  const stored = state.readTurn(before.turnKey) ?? step.turn;
  const turn = stored.state === 'speaking' ? settleTurn(tools, stored) : stored;
  return { before, turn, answer: buildAnswer(tools, step, fallback), isRepeat: step.turn === before };
}

function noteResumed(tools: LedgerTools, turn: Turn): void {
  const run = readRunOf(tools.state, turn);
  if (run === undefined || turn.prNumber !== null) return;
  const { followup, repo } = StartContext.parse(tools.state.readTurnContext(turn.turnKey));
  const events = tools.state.listEventsOfFeedbackTurn(turn.turnKey);
  if (followup === null) return;
  const { waitKind } = followup;
  noteFollowup(tools, 'pre_pr_followup_resumed', { run, repo, events, waitKind });
}

function store(
  tools: LedgerTools,
  { before, step, message }: { before: Turn; step: Step; message: TurnMessage },
): void {
  if (step.turn === before) return;
  if (message.kind === 'progress') {
    saveHeartbeat(tools, step);
    if (tools.silence.noteStep(before.turnKey, message.step))
      recordEvents(tools, [buildTurnEvent('turn_progress', before, { step: message.step })]);
    return;
  }
  saveStep(tools, step);
  if (message.kind === 'freeze' && before.planDigest === null) freezePlan(tools, step.turn, message);
  if (message.kind === 'fail' && mayRun(tools.agentsOf(before.repoId), before, message.limitedAdapter))
    noteAgentLimit(tools, message);
  keepReported(tools, before, message);
  if (message.kind === 'finish' && message.outcome === 'pushed') notePush(tools, step.turn);
  if (step.turn.state === 'blocked') blockRunOf(tools, step.turn, describeStop(message));
  if (step.turn.state === 'superseded') restartSuperseded(tools, step.turn);
}

/** After a crash or an infrastructure failure, a reply on the issue does not help, so `waitKind` is undefined. */
function describeStop(message: TurnMessage): Stop {
  if (message.kind === 'finish') return { kind: 'push_refused', waitKind: 'push_refused' };
  return { kind: 'turn_failed', waitKind: message.kind === 'fail' ? WAIT_AFTER[message.cause] : undefined };
}

const WAIT_AFTER: Record<TroubleKind, WaitKind | undefined> = {
  agent: 'agent_failed',
  unusable: 'answer_unusable',
  crash: undefined,
  infrastructure: undefined,
};

/** Saves the plan and its actions together. */
function freezePlan(tools: LedgerTools, turn: Turn, { parcel }: MessageOf<'freeze'>): void {
  const { state, now } = tools;
  const { plan } = parcel;
  state.recordPlan(turn.turnKey, parcel);
  const events = plan.result.kind === 'answer' ? readFeedback(state, turn).events : [];
  state.recordActions([...planActions(turn, plan, events), ...planFixActions(tools, turn, plan)], now());
  if (plan.result.kind === 'fix' && plan.result.failure !== null) failFix(tools, turn, plan.result.failure);
  if (plan.result.kind === 'block') {
    const { blockKind: kind, reason, observedSha } = plan.result;
    const expectedSha = kind === 'history_rewritten' ? readFeedback(state, turn).headSha : null;
    // The plan is frozen before the push, so GitHub does not have the observed head.
    blockPullOf(tools, turn, { kind, reason, expectedSha, observedSha, isPushed: false });
  }
}

function readFeedback(state: State, { turnKey }: Turn): FeedbackContext {
  return FeedbackContext.parse(state.readTurnContext(turnKey));
}

/**
 * Counts the usage in a proven message even if the turn is over or the message is refused, because somebody paid for it.
 */
function bookReport(tools: LedgerTools, turn: Turn, message: TurnMessage): void {
  const usage = readUsage(message);
  if (usage === undefined || !('attempt' in message)) return;
  const { attempt, turnKey } = message;
  const bounded = boundUsage(usage);
  if (!isDeepStrictEqual(bounded, usage))
    tools.log.warn({ turn_key: turnKey, attempt, usage }, 'a worker reported an impossible usage');
  bookSpend(tools, turn, { attempt, usage: bounded });
}

function readUsage(message: TurnMessage): Usage | undefined {
  if (message.kind === 'freeze') return message.parcel.plan.usage;
  return 'usage' in message ? message.usage : undefined;
}

/** Saves the time of the push, because GitHub may return the old head for a while. */
function notePush(tools: LedgerTools, turn: Turn): void {
  const { state, now } = tools;
  completeFix(tools, turn);
  const pull = readPullOf(state, turn);
  if (pull !== undefined) updatePull(tools, pull, { acceptedAt: now() });
}
