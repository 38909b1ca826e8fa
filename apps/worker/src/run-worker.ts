import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type Log, type LogCode, WORKER_HEARTBEAT_MS } from '@mergexo/core/basics';
import type { Sender, WorkerNotice } from '@mergexo/core/ledger';
import { bounded } from '@mergexo/process';
import { consumeTurns, createLedgerClient, type RedisTarget, type TurnDelivery } from '@mergexo/queue';
import { createLedgerSender, type LedgerSender } from './create-ledger-sender.js';
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
  /** The directory in which the workers of this machine keep unsent plans. */
  spoolRoot: string;
  slots: number;
  drainGraceMs: number;
  makePlan: MakePlan;
  pushPlan: PushPlan;
  log: Log;
  prefix?: string;
  /** Notices about this worker for operators. Read for every heartbeat. */
  notices?: () => readonly WorkerNotice[];
};

export type RunningWorker = {
  workerId: string;
  /** Stops taking new turns. Running turns finish, or are released after the grace period. */
  drain(): Promise<void>;
};

/** How long a draining worker keeps sending messages to an unresponsive poller after the grace period. */
const HAND_BACK_MS = 10_000;
const CLOSE_LIMIT_MS = 3_000;
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
  const stopBeating = sendHeartbeats(ledger, { workerId, notices: options.notices ?? (() => []) });

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

/** Sends heartbeats. The returned function stops them and sends a final one. */
function sendHeartbeats(
  ledger: Pick<LedgerSender, 'sendOnce'>,
  { workerId, notices }: { workerId: string; notices: () => readonly WorkerNotice[] },
): () => Promise<unknown> {
  let sequence = 1;
  const about = {
    kind: 'heartbeat' as const,
    workerId,
    host: hostname(),
    pid: process.pid,
  };
  const beat = async (): Promise<void> => {
    const answer = await ledger.sendOnce({ ...about, sequence, notices: [...notices()] });
    if (answer !== undefined) sequence += 1;
  };
  let beating = beat();
  const timer = setInterval(() => {
    beating = beat();
  }, WORKER_HEARTBEAT_MS);
  return async () => {
    clearInterval(timer);
    // Waits for the heartbeat in flight, which must not arrive after the final one.
    await beating;
    // Skips one sequence number: the poller may have handled a heartbeat whose answer was lost, and would ignore
    // another one with the same number.
    return ledger.sendOnce({ ...about, sequence: sequence + 1, leaving: true });
  };
}

/** Sends plans of workers that died between the agent's answer and the freeze. The poller refuses outdated plans. */
async function handOverLeftovers(
  { ledger, spool, log }: { ledger: LedgerSender; spool: Spool; log: Log },
  abandon: AbortSignal,
): Promise<void> {
  try {
    for (const message of spool.adoptLeftovers()) {
      const answer = await ledger.sendUntilAnswered(message, abandon);
      log.info(
        { turn_key: message.turnKey, attempt: message.attempt, answer: answer.kind },
        'sent a plan from the spool of a dead worker',
      );
      spool.drop(message);
    }
  } catch (error) {
    if (!abandon.aborted) log.error({ err: error }, 'could not send the plans in the spool');
  }
}
