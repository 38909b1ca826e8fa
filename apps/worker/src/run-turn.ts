import { Failure, failpoint, type Log } from '@mergexo/core/basics';
import type {
  BegunTurn,
  FailMessage,
  FreezeMessage,
  LedgerAnswer,
  LedgerMessage,
} from '@mergexo/core/ledger';
import { needsPush, PlanParcel } from '@mergexo/core/turns';
import type { TurnDelivery, TurnOutcome } from '@mergexo/queue';
import { z } from 'zod';
import { type Attempt, holdAttempt } from './hold-attempt.js';
import type { LedgerLine } from './ledger-line.js';
import type { Spool } from './spool.js';
import { type MakePlan, type PlanFailed, type Planned, trouble } from './steps/make-plan.js';
import type { Pushed, PushPlan } from './steps/push-plan.js';

export type Tools = {
  workerId: string;
  line: LedgerLine;
  spool: Pick<Spool, 'keep' | 'drop'>;
  makePlan: MakePlan;
  pushPlan: PushPlan;
  log: Log;
};

/** Two ways to go: `drain` ends the work and hands it back, `abandon` also stops waiting for the poller. */
export type Leave = { drain: AbortSignal; abandon: AbortSignal };

/** Safe to kill at any line: before the freeze nothing was sent; after it, pushing the same commit again changes nothing. */
export async function runTurn(tools: Tools, delivery: TurnDelivery, leave: Leave): Promise<TurnOutcome> {
  try {
    const outcome = await runAttempt(tools, delivery, leave);
    tools.log.info({ turn_key: delivery.turnKey, epoch: delivery.epoch, ...outcome }, 'left the turn');
    return outcome;
  } catch (error) {
    // Nobody answered and the worker must go: the job goes back, and a kept plan waits in the spool.
    if (leave.abandon.aborted) return { kind: 'later', delayMs: 1_000 };
    throw error;
  }
}

async function runAttempt(tools: Tools, delivery: TurnDelivery, leave: Leave): Promise<TurnOutcome> {
  const { turnKey, epoch, deliveryId } = delivery;
  const { workerId, line } = tools;
  failpoint('worker:job-taken');
  const requestId = `${workerId}-${deliveryId}`;
  const answer = await line.tell({ kind: 'begin', requestId, turnKey, epoch, workerId }, leave.abandon);
  if (answer.kind === 'retry-later') return { kind: 'later', delayMs: answer.delayMs };
  if (answer.kind !== 'begun') return over(answer);

  failpoint('worker:begun');
  const attempt = holdAttempt(line, answer);
  try {
    return await carryOut(tools, answer, { delivery, attempt, leave });
  } finally {
    attempt.end();
  }
}

type Work = { delivery: TurnDelivery; attempt: Attempt; leave: Leave };

async function carryOut(tools: Tools, begun: BegunTurn, work: Work): Promise<TurnOutcome> {
  const { makePlan, pushPlan } = tools;
  const { drain, abandon } = work.leave;
  const held = { turnKey: begun.turnKey, attempt: begun.attempt };
  const tell = (message: LedgerMessage) => tools.line.tell(message, abandon);

  let parcel = begun.frozen;
  if (parcel === null) {
    work.attempt.enter('planning');
    const planned = await attemptPlan(() =>
      makePlan(begun, AbortSignal.any([work.attempt.signal, drain]), (text) => work.attempt.enter(text)),
    );
    if (work.attempt.signal.aborted) return { kind: 'over', note: String(work.attempt.signal.reason) };
    // A plan that is there is kept even while draining: the agent's work is done.
    if (planned.kind === 'failed') {
      if (drain.aborted) return over(await tell({ kind: 'release', ...held, reason: 'draining' }));
      return over(await tell({ ...held, ...toFail(planned) }));
    }
    const frozen = await freeze(tools, { kind: 'freeze', ...held, ...finishing(planned.parcel) }, abandon);
    if (frozen.kind !== 'ok' || !needsPush(planned.parcel.plan)) return over(frozen);
    parcel = planned.parcel;
  }

  const frozenParcel = parcel;
  work.attempt.enter('pushing');
  if (!(await work.delivery.provesLock().catch(() => false))) {
    return over(await tell({ kind: 'release', ...held, reason: 'the lock of the job was lost' }));
  }
  failpoint('worker:lock-proved');
  if (work.attempt.signal.aborted) return { kind: 'over', note: String(work.attempt.signal.reason) };
  const pushed = await attemptPush(() => pushPlan(begun, frozenParcel, work.attempt.signal));
  failpoint('worker:pushed');
  if (pushed.kind === 'failed') {
    // The plan is frozen, and what it cost is told in it.
    return over(await tell({ ...held, ...toFail(trouble(pushed.reason, pushed)) }));
  }
  const { kind: outcome, reason } = pushed;
  const finished = await tell({ kind: 'finish', ...held, outcome, reason: reason && cut(reason) });
  failpoint('worker:finished');
  return over(finished);
}

/** Nothing is left to push in a plan without commits: one message freezes and finishes it. */
function finishing(parcel: PlanParcel): Pick<FreezeMessage, 'parcel' | 'finished'> {
  return { parcel, finished: !needsPush(parcel.plan) };
}

async function freeze(tools: Tools, message: FreezeMessage, abandon: AbortSignal): Promise<LedgerAnswer> {
  try {
    await tools.spool.keep(message);
  } catch (error) {
    // A full disk must not cost the plan: the poller may still take it.
    tools.log.warn({ err: error, turn_key: message.turnKey }, 'the plan could not be kept on disk');
  }
  failpoint('worker:plan-spooled');
  const answer = await tools.line.tell(message, abandon);
  tools.spool.drop(message);
  failpoint('worker:frozen');
  return answer;
}

function over(answer: LedgerAnswer): TurnOutcome {
  return { kind: 'over', note: 'reason' in answer ? `${answer.kind}: ${answer.reason}` : answer.kind };
}

/** The world failed, not the turn: said as such, it is tried again without blame. Anything else is a bug and fails the job. */
async function attemptPlan(makePlan: () => Promise<Planned>): Promise<Planned> {
  try {
    const planned = await makePlan();
    if (planned.kind === 'failed') return planned;
    const { error } = PlanParcel.safeParse(planned.parcel);
    if (error === undefined) return planned;
    const reason = `the plan cannot be carried out: ${z.prettifyError(error)}`;
    return { ...trouble(reason, planned.parcel.plan), cause: 'agent' };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return trouble(error.message, { retryAfterMs: error.retryAfterMs ?? null });
  }
}

async function attemptPush(pushPlan: () => Promise<Pushed>): Promise<Pushed> {
  try {
    return await pushPlan();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { kind: 'failed', reason: error.message, retryAfterMs: error.retryAfterMs ?? null };
  }
}

function toFail(failed: PlanFailed): Omit<FailMessage, 'turnKey' | 'attempt'> {
  const { retryAfterMs } = failed;
  // Some limits are lifted weeks later; a message holds eleven days, and then one looks again.
  const waitMs = retryAfterMs && Math.min(Math.max(Math.ceil(retryAfterMs), 0), 999_999_999);
  return { ...failed, kind: 'fail', reason: cut(failed.reason), retryAfterMs: waitMs };
}

/** Messages have a limit; the end of a long reason is worth less than the message. */
function cut(reason: string): string {
  return reason.slice(0, 3_000);
}
