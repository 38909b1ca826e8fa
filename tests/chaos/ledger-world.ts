import { join } from 'node:path';
import { silentLog } from '@mergexo/core/basics';
import type { LedgerAnswer, MessageOf, TurnMessage } from '@mergexo/core/ledger';
import { attemptOf, type PlanParcel, type Turn } from '@mergexo/core/turns';
import {
  answerLedger,
  createHolderSilence,
  createReportLimit,
  type HolderSilence,
  type LedgerTools,
  reconcile,
} from '@mergexo/poller';
import { createTurnQueue, type RedisTarget, type TurnQueue } from '@mergexo/queue';
import { openState, type State } from '@mergexo/state';
import {
  aPlan,
  aTurn,
  aVerifiedMessage,
  createTemporaryDirectory,
  NO_UPLOADS,
  ROBOT_AUTHOR,
} from '@mergexo/testkit';
import { type Carrier, createCarrier, type Delivery } from './carrier.js';

/** A simulated worker's memory between its steps. A crash erases all of it except the spool. */
export type Hand = {
  id: string;
  delivery?: Delivery;
  begun?: { turnKey: string; attempt: number };
  parcel?: PlanParcel;
  frozen?: boolean;
  lockProved?: boolean;
  pushed?: boolean;
};

/** A deliberate bug in the ledger that the checker must find. */
export type Bug = 'no-fence' | 'plan-replaced' | 'completed-twice' | 'ask-again-after-freeze';

export type World = Awaited<ReturnType<typeof createWorld>>;

/** Connects the real state, ledger, reconciler and turns queue to a clock and workers that tests control. */
export async function createWorld(options: {
  target: RedisTarget;
  turns: number;
  prefix: string;
  bug?: Bug;
}) {
  const { target, prefix, bug } = options;
  const directory = createTemporaryDirectory();
  const path = join(directory.path, 'state.db');
  let state: State = openState(path);
  const queue: TurnQueue = createTurnQueue({ target, log: silentLog, prefix });
  await queue.waitUntilReady();
  const carrier: Carrier = await createCarrier(target, prefix);
  let clock = 1_000_000;
  let hearingSince = clock;
  const newSilence = (): HolderSilence =>
    createHolderSilence({ monotonicNow: () => clock, hearingSince: () => hearingSince });
  let silence = newSilence();
  const now = (): number => clock;
  const desk = (): LedgerTools => ({
    state,
    queue,
    silence,
    mayReport: createReportLimit(now),
    billing: { limits: () => ({}), prices: () => new Map() },
    keys: { current: 'k'.repeat(64), older: [] },
    agentsOf: () => undefined,
    refresh: async () => ({ kind: 'fresh' }),
    author: () => ROBOT_AUTHOR,
    uploads: NO_UPLOADS,
    now,
    log: silentLog,
  });

  state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
  const turnKeys = Array.from({ length: options.turns }, () => {
    const turn = aTurn({ state: 'queued', epoch: 1 });
    state.recordTurn(turn, null);
    return turn.turnKey;
  });

  /** Everything that the checker reads: messages, responses and pushes, but no database table. */
  const record = {
    answers: [] as { message: TurnMessage; answer: LedgerAnswer }[],
    pushes: [] as { turnKey: string; attempt: number; sha: string }[],
    agentCalls: new Map<string, number>(),
  };
  const spool: MessageOf<'freeze'>[] = [];
  const sent: TurnMessage[] = [];

  const deliver = async (message: TurnMessage): Promise<LedgerAnswer> => {
    plantBug(state, message, bug);
    const fenced = bug === 'no-fence' ? unfence(state, message) : message;
    const answer = await answerLedger(desk(), aVerifiedMessage(fenced, state.readTurn, desk().keys.current));
    const forgets = bug === 'ask-again-after-freeze' || bug === 'plan-replaced';
    const sent = forgets && answer.kind === 'begun' ? { ...answer, frozen: null } : answer;
    record.answers.push({ message, answer: sent });
    return sent;
  };

  return {
    turnKeys,
    record,
    sent,
    spool,
    carrier,
    deliver,
    send(message: TurnMessage): Promise<LedgerAnswer> {
      sent.push(message);
      return deliver(message);
    },
    makePlan(turnKey: string): PlanParcel {
      const calls = (record.agentCalls.get(turnKey) ?? 0) + 1;
      record.agentCalls.set(turnKey, calls);
      return aPlan(`${turnKey.slice(0, 12)}-call-${calls}`);
    },
    push(turnKey: string, attempt: number, sha: string): void {
      // The remote records each sha once, because pushing the same sha again changes nothing.
      if (!record.pushes.some((push) => push.sha === sha)) record.pushes.push({ turnKey, attempt, sha });
    },
    advance(ms: number): void {
      clock += ms;
    },
    flush: () => carrier.flush(),
    restartPoller(): void {
      state.close();
      state = openState(path);
      hearingSince = clock;
      silence = newSilence();
    },
    reconcile: () => reconcile({ state, queue, now, monotonicNow: now, log: silentLog }),
    readTurn: (turnKey: string): Turn | undefined => state.readTurn(turnKey),
    readPlan: (turnKey: string) => state.readPlan(turnKey),
    listEvents: (turnKey: string) => state.listEventsOfTurn(turnKey),
    async close() {
      await carrier.close();
      await queue.close();
      state.close();
      directory.remove();
    },
  };
}

function plantBug(state: State, message: TurnMessage, bug: Bug | undefined): void {
  const turn = state.readTurn(message.turnKey);
  if (turn === undefined) return;
  if (bug === 'plan-replaced' && message.kind === 'freeze' && turn.state === 'frozen') {
    state.saveTurn({ ...turn, planDigest: null, state: 'running' });
  }
  if (bug === 'completed-twice' && turn.state === 'done' && message.kind === 'finish') {
    state.saveTurn({ ...turn, state: 'frozen' });
  }
}

/** Disables the attempt check by treating every message as part of the current attempt. */
function unfence(state: State, message: TurnMessage): TurnMessage {
  const turn = state.readTurn(message.turnKey);
  if (turn === undefined || message.kind === 'begin' || turn.begins.length === 0) return message;
  if (turn.workerId === null && turn.state !== 'done') state.saveTurn({ ...turn, workerId: 'anyone' });
  return { ...message, attempt: attemptOf(turn) };
}
