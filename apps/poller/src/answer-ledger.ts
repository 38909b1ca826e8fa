import {
  attemptOf,
  type FreezeMessage,
  failpoint,
  isCarried,
  type LedgerAnswer,
  LedgerMessage,
  type Log,
  planActions,
  type Step,
  stepTurn,
  type Turn,
  type TurnMessage,
} from '@mergexo/core';
import type { TurnQueue } from '@mergexo/queue';
import type { State } from '@mergexo/state';
import { describeStep } from './describe-step.js';
import { enqueueTurns } from './enqueue-turns.js';
import type { Hearing } from './hearing.js';
import { recordEvents } from './record-events.js';
import { blockRunOf, restartSuperseded, settleTurn } from './settle-turns.js';
import { noteWorker } from './watch-workers.js';

export type Desk = {
  state: State;
  queue: Pick<TurnQueue, 'enqueueTurns'>;
  hearing: Hearing;
  now: () => number;
  log: Log;
};

/**
 * One message, one transaction, one answer. Killed before the commit nothing happened and the worker asks again;
 * killed after it the repeated message finds its own traces and gets the same answer.
 */
export async function answerLedger(desk: Desk, raw: unknown): Promise<LedgerAnswer> {
  const parsed = LedgerMessage.safeParse(raw);
  if (!parsed.success) return setAside(desk, raw);
  const message = parsed.data;
  if (message.kind === 'heartbeat') return noteWorker(desk, message);

  if (message.kind === 'freeze') failpoint('poller:freeze-read');
  const applied = desk.state.transaction(() => apply(desk, message));
  passFailpoint(message);
  if (applied === undefined) return { kind: 'refused', reason: 'no such turn' };
  const { before, turn, answer } = applied;
  if (answer.kind === 'ok' || answer.kind === 'begun') desk.hearing.heard(turn.turnKey);
  if (!isCarried(turn)) desk.hearing.forget(turn.turnKey);
  // Not awaited for its success: without Redis the next reconcile does it.
  if (turn.epoch > before.epoch && isCarried(turn)) await enqueueTurns(desk, [turn]);
  return answer;
}

/** Written, but the worker has not heard of it. */
function passFailpoint({ kind }: TurnMessage): void {
  if (kind === 'begin') failpoint('poller:begin-written');
  if (kind === 'freeze') failpoint('poller:freeze-written');
  if (kind === 'finish') failpoint('poller:finish-written');
}

function apply(
  desk: Desk,
  message: TurnMessage,
): { before: Turn; turn: Turn; answer: LedgerAnswer } | undefined {
  const { state, hearing, now } = desk;
  const before = state.readTurn(message.turnKey);
  if (before === undefined) {
    recordEvents(desk, [
      {
        type: 'ledger_refused',
        payload: { message: message.kind, reason: 'no such turn', turn: message.turnKey },
      },
    ]);
    return undefined;
  }
  const foreign = explainForeignPlan(state, before, message);
  const step: Step = foreign
    ? { turn: before, verdict: { kind: 'refused', reason: foreign } }
    : stepTurn(before, message, { now: now(), ...hearing.factsAbout(before.turnKey) });
  store(desk, before, step, message);
  recordEvents(desk, describeStep(before, step, message));
  const turn = step.turn.state === 'speaking' ? settleTurn(desk, step.turn) : step.turn;
  return { before, turn, answer: buildAnswer(state, step) };
}

/** A worker may be compromised; it still pushes and opens nothing but what its run is about. */
function explainForeignPlan(state: State, turn: Turn, message: TurnMessage): string | undefined {
  if (message.kind !== 'freeze' || turn.runId === null) return undefined;
  const { commit } = message.parcel.plan;
  const branch = state.readRun(turn.runId)?.branch;
  return commit === null || commit.branch === branch
    ? undefined
    : `the run's branch is ${branch}, not ${commit.branch}`;
}

function store(desk: Desk, before: Turn, step: Step, message: TurnMessage): void {
  const { state } = desk;
  if (step.turn === before) return;
  if (message.kind === 'progress') {
    state.saveHeartbeat(step.turn);
    return;
  }
  state.saveTurn(step.turn);
  if (message.kind === 'freeze' && before.planDigest === null) freezePlan(desk, step.turn, message);
  if (step.turn.state === 'blocked') blockRunOf(desk, step.turn);
  if (step.turn.state === 'superseded') restartSuperseded(desk, step.turn);
}

/** The plan and the outbox that will carry it out appear together, and what it cost is booked once. */
function freezePlan(desk: Desk, turn: Turn, { parcel, attempt }: FreezeMessage): void {
  const { state, now } = desk;
  const { repoId, runId, turnKey } = turn;
  state.recordPlan(turnKey, parcel);
  state.recordActions(planActions(turn, parcel.plan), now());
  state.recordSpend({ repoId, runId, turnKey, attempt, ...parcel.plan.usage }, now());
}

function buildAnswer(state: State, { turn, verdict }: Step): LedgerAnswer {
  if (verdict.kind !== 'begun') return verdict;
  const { turnKey, kind: turnKind, repoId, issueNumber, prNumber } = turn;
  return {
    kind: 'begun',
    attempt: attemptOf(turn),
    turnKey,
    turnKind,
    repoId,
    issueNumber,
    prNumber,
    context: state.readTurnContext(turnKey),
    frozen: state.readPlan(turnKey),
  };
}

/** A message that we do not understand is kept for a look, and the next ones go on. */
function setAside(desk: Desk, raw: unknown): LedgerAnswer {
  const text = JSON.stringify(raw) ?? 'undefined';
  desk.state.transaction(() =>
    recordEvents(desk, [
      { type: 'ledger_message_set_aside', payload: { bytes: text.length, start: text.slice(0, 500) } },
    ]),
  );
  return {
    kind: 'refused',
    reason: 'the message is malformed: is this worker of the same version as the poller?',
  };
}
