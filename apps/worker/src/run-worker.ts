import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type Log, type LogCode, WORKER_HEARTBEAT_MS } from '@mergexo/core/basics';
import { bounded, consumeTurns, createLedgerClient, type RedisTarget } from '@mergexo/queue';
import { createLedgerLine, type LedgerLine } from './ledger-line.js';
import { runTurn } from './run-turn.js';
import { openSpool, type Spool } from './spool.js';
import type { MakePlan } from './steps/make-plan.js';
import type { PushPlan } from './steps/push-plan.js';

const READY: LogCode = 'program_ready';

export type WorkerOptions = {
  target: RedisTarget;
  /** Private to the workers of this machine. */
  spoolRoot: string;
  slots: number;
  drainGraceMs: number;
  makePlan: MakePlan;
  pushPlan: PushPlan;
  log: Log;
  prefix?: string;
};

export type RunningWorker = {
  workerId: string;
  /** Takes no new turns; running ones finish, or are handed back after the grace time. */
  drain(): Promise<void>;
};

/** How long a draining worker goes on asking a poller that does not answer. */
const HAND_BACK_MS = 10_000;
const CLOSE_LIMIT_MS = 3_000;

export async function runWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { target, log, slots, makePlan, pushPlan } = options;
  const scope = options.prefix === undefined ? {} : { prefix: options.prefix };
  const workerId = `${hostname()
    .replace(/[^\w.-]/g, '-')
    .slice(0, 60)}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const client = await createLedgerClient({ target, log, ...scope });
  const line = createLedgerLine({ client, log });
  const spool = openSpool(options.spoolRoot, workerId);
  const stopBeating = sayAlive(line, workerId);

  const drain = new AbortController();
  const abandon = new AbortController();
  const leave = { drain: drain.signal, abandon: abandon.signal };
  const handOver = handOverLeftovers({ line, spool, log }, abandon.signal);
  const tools = { workerId, line, spool, makePlan, pushPlan, log };
  const consumer = consumeTurns({
    target,
    log,
    slots,
    run: (turn) => runTurn(tools, turn, leave),
    ...scope,
  });
  log.info({ code: READY, worker: workerId, slots }, 'worker is ready');

  return {
    workerId,
    async drain() {
      log.info({ worker: workerId }, 'draining');
      const timers = [
        setTimeout(() => drain.abort('draining'), options.drainGraceMs),
        setTimeout(() => abandon.abort('nobody answers'), options.drainGraceMs + HAND_BACK_MS),
      ];
      // Without Redis nothing can be handed back; after the limit the spool and the next worker take care of it.
      await bounded(consumer.close(), options.drainGraceMs + HAND_BACK_MS + CLOSE_LIMIT_MS);
      for (const timer of timers) clearTimeout(timer);
      abandon.abort('drained');
      await bounded(handOver, CLOSE_LIMIT_MS);
      await bounded(stopBeating(), CLOSE_LIMIT_MS);
      await bounded(client.close(), CLOSE_LIMIT_MS);
      spool.close();
    },
  };
}

/** Sends heartbeats until the returned function is called, which sends the last one. */
function sayAlive(line: Pick<LedgerLine, 'mention'>, workerId: string): () => Promise<unknown> {
  let sequence = 1;
  const about = { kind: 'heartbeat' as const, workerId, host: hostname(), pid: process.pid };
  const beat = async (): Promise<void> => {
    const answer = await line.mention({ ...about, sequence });
    if (answer !== undefined) sequence += 1;
  };
  let beating = beat();
  const timer = setInterval(() => {
    beating = beat();
  }, WORKER_HEARTBEAT_MS);
  return async () => {
    clearInterval(timer);
    // One that is still under way must not arrive after the last one.
    await beating;
    return line.mention({ ...about, sequence, leaving: true });
  };
}

/** Plans of workers that died between the agent's answer and the freeze. The fence decides whether they still count. */
async function handOverLeftovers(
  { line, spool, log }: { line: LedgerLine; spool: Spool; log: Log },
  abandon: AbortSignal,
): Promise<void> {
  try {
    for (const message of spool.adoptLeftovers()) {
      const answer = await line.tell(message, abandon);
      log.info(
        { turn_key: message.turnKey, attempt: message.attempt, answer: answer.kind },
        'handed over a kept plan',
      );
      spool.drop(message);
    }
  } catch (error) {
    if (!abandon.aborted) log.error({ err: error }, 'kept plans could not be handed over');
  }
}
