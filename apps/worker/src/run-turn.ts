import type { BegunTurn, FreezeMessage, LedgerAnswer, LedgerMessage, Log, PlanParcel } from '@mergexo/core';
import type { TurnDelivery, TurnOutcome } from '@mergexo/queue';
import { type Attempt, holdAttempt } from './hold-attempt.js';
import type { LedgerLine } from './ledger-line.js';
import type { Spool } from './spool.js';
import type { MakePlan } from './steps/make-plan.js';
import type { PushPlan } from './steps/push-plan.js';

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
  const requestId = `${workerId}-${deliveryId}`;
  const answer = await line.tell({ kind: 'begin', requestId, turnKey, epoch, workerId }, leave.abandon);
  if (answer.kind === 'retry-later') return { kind: 'later', delayMs: answer.delayMs };
  if (answer.kind !== 'begun') return over(answer);

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
    const planned = await makePlan(begun, AbortSignal.any([work.attempt.signal, drain]));
    if (work.attempt.signal.aborted) return { kind: 'over', note: String(work.attempt.signal.reason) };
    // A plan that is there is kept even while draining: the agent's work is done.
    if (planned.kind === 'failed') {
      if (drain.aborted) return over(await tell({ kind: 'release', ...held, reason: 'draining' }));
      const { cause, reason, retryAfterMs } = planned;
      return over(await tell({ kind: 'fail', ...held, cause, reason: reason.slice(0, 4_000), retryAfterMs }));
    }
    const frozen = await freeze(tools, { kind: 'freeze', ...held, ...finishing(planned.parcel) }, abandon);
    if (frozen.kind !== 'ok' || planned.parcel.plan.commit === null) return over(frozen);
    parcel = planned.parcel;
  }

  work.attempt.enter('pushing');
  if (!(await work.delivery.provesLock().catch(() => false))) {
    return over(await tell({ kind: 'release', ...held, reason: 'the lock of the job was lost' }));
  }
  const pushed = await pushPlan(begun, parcel, work.attempt.signal);
  if (pushed.kind === 'failed') {
    const { reason, retryAfterMs } = pushed;
    return over(await tell({ kind: 'fail', ...held, cause: 'infrastructure', reason, retryAfterMs }));
  }
  const { kind: outcome, reason } = pushed;
  return over(await tell({ kind: 'finish', ...held, outcome, reason }));
}

/** Nothing is left to push in a plan without commits: one message freezes and finishes it. */
function finishing(parcel: PlanParcel): Pick<FreezeMessage, 'parcel' | 'finished'> {
  return { parcel, finished: parcel.plan.commit === null };
}

async function freeze(tools: Tools, message: FreezeMessage, abandon: AbortSignal): Promise<LedgerAnswer> {
  await tools.spool.keep(message);
  const answer = await tools.line.tell(message, abandon);
  tools.spool.drop(message);
  return answer;
}

function over(answer: LedgerAnswer): TurnOutcome {
  return { kind: 'over', note: 'reason' in answer ? `${answer.kind}: ${answer.reason}` : answer.kind };
}
