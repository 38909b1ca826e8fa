import type { Settings } from '@mergexo/config';
import { JOB_LOCK_MS } from '@mergexo/core/basics';
import { computeSender, type FreezeMessage, type LedgerMessage } from '@mergexo/core/ledger';
import { parseJobId } from '@mergexo/core/turns';
import { createLedgerSender, createPushPlan, runTurn, sendHeartbeats, type Tools } from '@mergexo/worker';
import type { Agent } from './agent.js';
import { SECRET } from './constants.js';
import type { LedgerLine } from './ledger-line.js';
import { type Life, runIn, startLife, within } from './lives.js';
import type { MemoryQueue, TakenJob } from './memory-queue.js';
import type { Remote } from './remote.js';
import type { WorldLog } from './world-log.js';

export type WorkerParts = {
  queue: MemoryQueue;
  ledger: LedgerLine;
  remote: Remote;
  agent: Agent;
  settings: Settings;
  network: {
    isCut(link: string): boolean;
    travel(kind: 'redis'): Promise<void>;
    passDoor(life: Life, where: string): void;
  };
  /** The spool on the machine of this worker. Survives the process. */
  spool: Map<string, { owner: Life; message: FreezeMessage }>;
  log: WorldLog;
  /** Most schedules run without heartbeats, which would be a third of all writes. */
  heartbeats: boolean;
  onBug(error: unknown): void;
};

export type SimulatedWorker = { life: Life; drain(): void };

const IDLE_MS = 2_000;
const ADOPT_MS = 5_000;

/** Starts a worker process: the real `runTurn` between the simulated queue, ledger and git remote. */
/** `serial` tells the processes of one worker apart. */
export function startWorker(name: string, serial: number, parts: WorkerParts): SimulatedWorker {
  const life = startLife(name);
  const workerId = `w@${name}-${serial}`;
  const sender = () => computeSender(SECRET, 'w');
  const client = {
    ask: (message: LedgerMessage, timeoutMs: number) => parts.ledger.ask(message, 'w', timeoutMs),
  };
  const { log } = parts;
  const ledger = createLedgerSender({ client, log });
  const drain = new AbortController();
  const abandon = new AbortController();
  const git: Parameters<typeof createPushPlan>[0]['git'] = {
    publish: (_repo: unknown, request: Parameters<Remote['publish']>[1]) => {
      parts.network.passDoor(life, 'before the push');
      if (!life.isAlive) return new Promise(() => {});
      const pushed = parts.remote.publish(name, request);
      return within(
        life,
        pushed.finally(() => parts.network.passDoor(life, 'after the push')),
      );
    },
  };
  const tools: Tools = {
    workerId,
    sender,
    ledger,
    spool: keepSpool(parts.spool, life),
    makePlan: parts.agent.makePlan,
    pushPlan: createPushPlan({ git, repos: parts.settings.config.repos }),
    log,
  };
  runIn(life, () => {
    const stopBeating = parts.heartbeats
      ? sendHeartbeats(ledger, { workerId, notices: () => [] })
      : undefined;
    const leave = { drain: drain.signal, abandon: abandon.signal };
    const hold = { parts, tools, life, leave, deliveries: 0 };
    drain.signal.addEventListener('abort', () => void stopBeating?.().catch(parts.onBug));
    consume(hold).catch(parts.onBug);
    adopt(parts, { life, ledger, abandon: abandon.signal }).catch(parts.onBug);
  });
  return { life, drain: () => drain.abort('draining') };
}

type Hold = {
  parts: WorkerParts;
  tools: Tools;
  life: Life;
  leave: Parameters<typeof runTurn>[2];
  deliveries: number;
};

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function consume(hold: Hold): Promise<void> {
  const { parts, life, tools, leave } = hold;
  while (!leave.drain.aborted) {
    const token = `${tools.workerId}-${hold.deliveries}`;
    const job = parts.network.isCut(life.name) ? undefined : parts.queue.take(token);
    if (job === undefined) await within(life, parts.queue.waitForNews(pause(IDLE_MS)));
    else await work(hold, job, token);
  }
}

async function work(hold: Hold, job: TakenJob, token: string): Promise<void> {
  const { parts, life, tools, leave } = hold;
  hold.deliveries += 1;
  const identity = parseJobId(job.id);
  if (identity === undefined) return;
  const reach = (): boolean => !parts.network.isCut(life.name);
  const renewing = setInterval(() => reach() && parts.queue.extendLock(job.id, token), JOB_LOCK_MS / 2);
  const provesLock = async (): Promise<boolean> => {
    await within(life, parts.network.travel('redis'));
    return reach() && parts.queue.extendLock(job.id, token);
  };
  try {
    const outcome = await runTurn(
      tools,
      { ...identity, deliveryId: token.replace(/.*@/, ''), provesLock },
      leave,
    );
    if (outcome.kind === 'over') parts.queue.complete(job.id, token);
    else parts.queue.delay(job.id, token, outcome.delayMs);
  } catch (error) {
    if (!life.isAlive) return;
    parts.queue.fail(job.id, token, String(error));
    parts.onBug(error);
  } finally {
    clearInterval(renewing);
  }
}

function keepSpool(spool: WorkerParts['spool'], owner: Life): Tools['spool'] {
  const nameOf = ({ turnKey, attempt }: FreezeMessage): string => `${turnKey}-${attempt}`;
  return {
    keep: async (message) => void spool.set(nameOf(message), { owner, message }),
    drop: (message) => void spool.delete(nameOf(message)),
  };
}

/** Sends the plans that dead workers left in the spool, as `runWorker` does. */
async function adopt(
  { spool }: WorkerParts,
  {
    life,
    ledger,
    abandon,
  }: { life: Life; ledger: ReturnType<typeof createLedgerSender>; abandon: AbortSignal },
): Promise<void> {
  for (;;) {
    for (const [name, { owner, message }] of spool) {
      if (owner.isAlive) continue;
      spool.set(name, { owner: life, message });
      await ledger.sendUntilAnswered(message, abandon);
      spool.delete(name);
    }
    await pause(ADOPT_MS);
  }
}
