import type { UploadContent } from '@mergexo/core/attachments';
import { Failure, failpoint, type Log } from '@mergexo/core/basics';
import {
  type AttachmentMessage,
  type BegunTurn,
  type FailMessage,
  type FreezeMessage,
  type HeldDraft,
  type LedgerAnswer,
  proveMessage,
  type Sender,
} from '@mergexo/core/ledger';
import { needsPush, PlanParcel, type Usage } from '@mergexo/core/turns';
import type { TurnDelivery, TurnOutcome } from '@mergexo/queue';
import { z } from 'zod';
import { createAttemptCredential, withCredential } from './attempt-credential.js';
import type { LedgerSender } from './connect/create-ledger-sender.js';
import { type Attempt, holdAttempt } from './hold-attempt.js';
import { type StepSender, sendSteps } from './send-steps.js';
import type { Spool } from './spool.js';
import { type MakePlan, type PlanFailed, type Planned, toTrouble, trouble } from './steps/make-plan.js';
import type { PushPlan } from './steps/push-plan.js';

export type Tools = {
  workerId: string;
  sender: () => Sender;
  ledger: LedgerSender;
  spool: Pick<Spool, 'keep' | 'drop'>;
  makePlan: MakePlan;
  pushPlan: PushPlan;
  log: Log;
};

/** Two ways to stop: `drain` stops the work and releases the turn; `abandon` also stops waiting for the poller. */
export type Leave = { drain: AbortSignal; abandon: AbortSignal };

/**
 * Runs one turn. A kill at any line is safe: nothing is sent before the freeze, and pushing a frozen commit again
 * changes nothing.
 */
export async function runTurn(tools: Tools, delivery: TurnDelivery, leave: Leave): Promise<TurnOutcome> {
  try {
    const outcome = await runAttempt(tools, delivery, leave);
    tools.log.info(
      { turn_key: delivery.turnKey, epoch: delivery.epoch, ...outcome },
      'turn ended on this worker',
    );
    return outcome;
  } catch (error) {
    // If the poller did not answer before shutdown, the job returns to the queue; a finished plan stays in the spool.
    if (leave.abandon.aborted) return { kind: 'later', delayMs: 1_000 };
    throw error;
  }
}

async function runAttempt(tools: Tools, delivery: TurnDelivery, leave: Leave): Promise<TurnOutcome> {
  const { turnKey, epoch, deliveryId } = delivery;
  const { workerId, sender, ledger } = tools;
  failpoint('worker:job-taken');
  const requestId = `${workerId}-${deliveryId}`;
  const answer = await ledger.sendUntilAnswered(
    { kind: 'begin', requestId, turnKey, epoch, workerId },
    leave.abandon,
  );
  if (answer.kind === 'retry-later') return { kind: 'later', delayMs: answer.delayMs };
  if (answer.kind !== 'begun') return over(answer);

  failpoint('worker:begun');
  // The secret stays in memory. After a crash, a spooled plan already has its proof, and no other message is needed.
  const { secret, ...begun } = answer;
  const prove: Prove = (draft) => proveMessage(draft, { secret, workerKey: sender().key });
  const attempt = holdAttempt(begun, (draft) => ledger.sendOnce(prove(draft)));
  const steps = sendSteps(begun, (draft) => ledger.sendOnce(prove(draft)));
  const credential = begun.asksForToken
    ? createAttemptCredential(begun, { secret, workerKey: sender().key }, (draft) =>
        ledger.sendUntilAnswered(prove(draft), AbortSignal.any([attempt.signal, leave.abandon])),
      )
    : undefined;
  try {
    return await withCredential(credential, () =>
      workOnTurn(tools, begun, { delivery, attempt, steps, leave, prove }),
    );
  } finally {
    steps.end();
    attempt.end();
  }
}

type Prove = <Draft extends HeldDraft>(draft: Draft) => Draft & { proof: string };
type Work = { delivery: TurnDelivery; attempt: Attempt; steps: StepSender; leave: Leave; prove: Prove };

async function workOnTurn(tools: Tools, begun: BegunTurn, work: Work): Promise<TurnOutcome> {
  const { makePlan, pushPlan } = tools;
  const { drain, abandon } = work.leave;
  const held = { turnKey: begun.turnKey, attempt: begun.attempt };
  const send = (draft: HeldDraft) => tools.ledger.sendUntilAnswered(work.prove(draft), abandon);

  let parcel = begun.frozen;
  if (parcel === null) {
    work.attempt.enter('planning');
    const stop = AbortSignal.any([work.attempt.signal, drain]);
    const { enter: step, refuseHost: refusedHost } = work.attempt;
    const fetchUpload = createFetchUpload(
      tools,
      (number) => work.prove({ kind: 'attachment', ...held, number }),
      stop,
    );
    const report = { step, show: work.steps.show, refusedHost, fetchUpload };
    const planned = await makePlan(begun, stop, report).then(checkPlan, toTrouble);
    work.steps.end();
    if (work.attempt.signal.aborted) {
      const note = String(work.attempt.signal.reason);
      const used = describeUse(planned);
      // The poller counts the usage, although the turn is over.
      if (used !== undefined) await send({ kind: 'release', ...held, reason: cut(note), ...used });
      return { kind: 'over', note };
    }
    const refusedHosts = work.attempt.refusedHosts();
    // A finished plan is frozen even while draining, because the agent's work is already paid for.
    if (planned.kind === 'failed') {
      if (drain.aborted)
        return over(await send({ kind: 'release', ...held, reason: 'draining', ...describeUse(planned) }));
      return over(await send({ ...held, ...toFail(planned), refusedHosts }));
    }
    const plan = { ...finishing(planned.parcel), refusedHosts };
    const message = work.prove({ kind: 'freeze', ...held, ...plan });
    const frozen = await freeze(tools, message, abandon);
    if (frozen.kind !== 'ok' || !needsPush(planned.parcel.plan)) return over(frozen);
    parcel = planned.parcel;
  }

  work.attempt.enter('pushing');
  if (!(await work.delivery.provesLock().catch(() => false))) {
    return over(await send({ kind: 'release', ...held, reason: 'the worker lost the lock on its job' }));
  }
  failpoint('worker:lock-proved');
  if (work.attempt.signal.aborted) return { kind: 'over', note: String(work.attempt.signal.reason) };
  const pushed = await pushPlan(begun, parcel, work.attempt.signal).catch(toTrouble);
  failpoint('worker:pushed');
  if (pushed.kind === 'failed') {
    // Reports no usage, because the frozen plan already contains it.
    return over(await send({ ...held, ...toFail(trouble(pushed.reason, pushed)) }));
  }
  const { kind: outcome, reason } = pushed;
  const finished = await send({ kind: 'finish', ...held, outcome, reason: reason && cut(reason) });
  failpoint('worker:finished');
  return over(finished);
}

/** Asks the poller for a file. A refused file counts as missing; only `holdAttempt` ends the attempt. */
function createFetchUpload(
  { ledger }: Pick<Tools, 'ledger'>,
  toMessage: (number: number) => AttachmentMessage,
  stop: AbortSignal,
): (number: number) => Promise<UploadContent> {
  return async (number) => {
    try {
      const answer = await ledger.sendUntilAnswered(toMessage(number), stop);
      return answer.kind === 'attachment' ? answer.content : { kind: 'missing', problem: 'unavailable' };
    } catch (error) {
      if (stop.aborted)
        throw new Failure('unavailable', 'the attempt ended during a download', { cause: error });
      throw error;
    }
  };
}

/**
 * Builds the fields of a freeze message. A plan without commits needs no push, so one message freezes and finishes it.
 */
function finishing(parcel: PlanParcel): Pick<FreezeMessage, 'parcel' | 'finished'> {
  return { parcel, finished: !needsPush(parcel.plan) };
}

async function freeze(tools: Tools, message: FreezeMessage, abandon: AbortSignal): Promise<LedgerAnswer> {
  try {
    await tools.spool.keep(message);
  } catch (error) {
    // A full disk must not lose the plan, so the worker sends it to the poller anyway.
    tools.log.warn({ err: error, turn_key: message.turnKey }, 'could not write the plan to the spool');
  }
  failpoint('worker:plan-spooled');
  const answer = await tools.ledger.sendUntilAnswered(message, abandon);
  tools.spool.drop(message);
  failpoint('worker:frozen');
  return answer;
}

function over(answer: LedgerAnswer): TurnOutcome {
  return { kind: 'over', note: 'reason' in answer ? `${answer.kind}: ${answer.reason}` : answer.kind };
}

function checkPlan(planned: Planned): Planned {
  if (planned.kind === 'failed') return planned;
  const { error } = PlanParcel.safeParse(planned.parcel);
  if (error === undefined) return planned;
  const reason = `the agent's plan is invalid: ${z.prettifyError(error)}`;
  return { ...trouble(reason, planned.parcel.plan), cause: 'agent' };
}

/** Returns the usage of a stopped attempt; undefined if the agent reported none. */
function describeUse(planned: Planned): { usage: Usage } | undefined {
  const { usage } = planned.kind === 'failed' ? planned : planned.parcel.plan;
  const { inputTokens, outputTokens, costUsd } = usage;
  return inputTokens + outputTokens + costUsd > 0 ? { usage } : undefined;
}

function toFail(failed: PlanFailed): Omit<FailMessage, 'turnKey' | 'attempt'> {
  const { retryAfterMs } = failed;
  // Some usage limits last for weeks, but a message can express at most eleven days. After that time, the turn retries
  // and waits again.
  const waitMs = retryAfterMs && Math.min(Math.max(Math.ceil(retryAfterMs), 0), 999_999_999);
  return { ...failed, kind: 'fail', reason: cut(failed.reason), retryAfterMs: waitMs };
}

/** Shortens the reason, because the poller rejects a message with a longer one. */
function cut(reason: string): string {
  return reason.slice(0, 3_000);
}
