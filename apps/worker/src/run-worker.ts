import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log, LogCode } from '@mergexo/core/basics';
import type { Sender, WorkerNotice } from '@mergexo/core/ledger';
import { bounded } from '@mergexo/process';
import { consumeTurns, createLedgerClient, type RedisTarget, type TurnDelivery } from '@mergexo/queue';
import { createLedgerSender, type LedgerSender } from './connect/create-ledger-sender.js';
import { sendHeartbeats } from './connect/send-heartbeats.js';
import { runTurn } from './run-turn.js';
import { openSpool, type Spool } from './spool.js';
import type { MakePlan } from './steps/make-plan.js';
import type { PushPlan } from './steps/push-plan.js';

const READY: LogCode = 'program_ready';

export type WorkerOptions = {
  target: RedisTarget;
  /**
   * The key of this worker. Read for every message, because the poller writes a new key if the signing secret changes.
   */
  sender: () => Sender;
  /** The directory in which the workers of this machine, or of several containers, keep unsent plans. */
  spoolRoot: string;
  slots: number;
  drainGraceMs: number;
  makePlan: MakePlan;
  pushPlan: PushPlan;
  log: Log;
  prefix?: string;
  /** Notices about this worker for operators. Read for every heartbeat. */
  notices?: () => readonly WorkerNotice[];
  /** Written after each acknowledged heartbeat, for `mergexo health`. */
  healthFile?: string;
};

export type RunningWorker = {
  workerId: string;
  /** Stops taking new turns. Running turns finish, or are released after the grace period. */
  drain(): Promise<void>;
};

/** How long a draining worker keeps sending messages to an unresponsive poller after the grace period. */
const HAND_BACK_MS = 10_000;
const CLOSE_LIMIT_MS = 3_000;
/** How often a worker looks for plans of dead workers. A worker in another container is dead only after some silence. */
const ADOPT_MS = 5_000;
/** Maximum length of the host in a worker id. The whole id has at most 120 characters. */
const MAX_HOST = 60;
/**
 * Time limit for the final heartbeat. It is short, because the poller may have stopped too. If the poller is
 * only slow, Redis keeps the message.
 */
const GOODBYE_LIMIT_MS = 200;

export async function runWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { target, sender, prefix, log, slots, makePlan, pushPlan } = options;
  const host = hostname()
    .replace(/[^\w.-]/g, '-')
    .slice(0, MAX_HOST);
  const workerId = `${sender().name}@${host}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const client = await createLedgerClient({ target, log, prefix, sender });
  const ledger = createLedgerSender({ client, log });
  const spool = openSpool(options.spoolRoot, workerId, log);
  const { notices = () => [], healthFile } = options;
  const stopBeating = sendHeartbeats(ledger, { workerId, notices, healthFile });

  const drain = new AbortController();
  const abandon = new AbortController();
  const leave = { drain: drain.signal, abandon: abandon.signal };
  const handOver = handOverLeftovers({ ledger, spool, log }, abandon.signal);
  const tools = { workerId, sender, ledger, spool, makePlan, pushPlan, log };
  const run = (turn: TurnDelivery) => runTurn(tools, turn, leave);
  const consumer = consumeTurns({ target, log, slots, run, prefix });
  log.info({ code: READY, worker: workerId, slots }, 'worker is ready');

  return {
    workerId,
    async drain() {
      log.info({ worker: workerId }, 'draining');
      const timers = [
        setTimeout(() => drain.abort('draining'), options.drainGraceMs),
        setTimeout(() => abandon.abort('the poller does not answer'), options.drainGraceMs + HAND_BACK_MS),
      ];
      // The wait is limited, because no turn can be released while Redis is down. The next worker sends the plans left
      // in the spool.
      await bounded(consumer.close(), options.drainGraceMs + HAND_BACK_MS + CLOSE_LIMIT_MS);
      for (const timer of timers) clearTimeout(timer);
      abandon.abort('drained');
      await bounded(handOver, CLOSE_LIMIT_MS);
      await bounded(stopBeating(), GOODBYE_LIMIT_MS);
      await bounded(client.close(), CLOSE_LIMIT_MS);
      spool.close();
    },
  };
}

/** Sends plans of workers that died between the agent's answer and the freeze. The poller refuses outdated plans. */
async function handOverLeftovers(
  { ledger, spool, log }: { ledger: LedgerSender; spool: Spool; log: Log },
  abandon: AbortSignal,
): Promise<void> {
  let isReported = false;
  while (!abandon.aborted) {
    try {
      for (const message of spool.adoptLeftovers()) {
        const answer = await ledger.sendUntilAnswered(message, abandon);
        log.info(
          { turn_key: message.turnKey, attempt: message.attempt, answer: answer.kind },
          'sent a plan from the spool of a dead worker',
        );
        spool.drop(message);
      }
      isReported = false;
    } catch (error) {
      if (!abandon.aborted && !isReported) log.error({ err: error }, 'could not send the plans in the spool');
      isReported = true;
    }
    await sleep(ADOPT_MS, undefined, { signal: abandon }).catch(() => {});
  }
}
