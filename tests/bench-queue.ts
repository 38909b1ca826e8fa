/** `npm run bench:queue` compares the ledger with bare BullMQ. */
import { join } from 'node:path';
import { silentLog } from '@mergexo/core/basics';
import { computeSender, type LedgerDraft, queueTurn } from '@mergexo/core/ledger';
import { answerLedger, createHolderSilence, createReportLimit } from '@mergexo/poller';
import {
  chooseRedisKind,
  createLedgerClient,
  createTurnQueue,
  serveLedger,
  startEmbeddedRedis,
} from '@mergexo/queue';
import { openState } from '@mergexo/state';
import {
  aPlanWithoutCommit,
  aTurn,
  createTemporaryDirectory,
  NO_UPLOADS,
  ROBOT_AUTHOR,
  withProof,
} from '@mergexo/testkit';
import { runWorker } from '@mergexo/worker';
import { Queue, Worker } from 'bullmq';

const RAW = 500;
const CALLS = 500;
const TURNS = 200;
const LIMIT = 15;

const directory = createTemporaryDirectory();
const kind = chooseRedisKind(process.env['PATH'] ?? '');
const redis = await startEmbeddedRedis({ dir: directory.path, kind, log: silentLog });
const { target } = redis;
const log = silentLog;

const raw = await measureRawJobs();
const { sequential, parallel, turn } = await measureLedger();
const ratio = turn / raw;
const line = (name: string, ms: number): string =>
  `${name.padEnd(44)} ${ms.toFixed(2).padStart(8)} ms ${(1_000 / ms).toFixed(0).padStart(8)}/s`;
process.stdout.write(
  [
    `Redis: ${kind}, synchronous SQLite, one process`,
    line('raw BullMQ, add and process, one by one', raw),
    line('ledger round trip, one by one', sequential),
    line('ledger round trip, 50 at a time', parallel),
    line('whole turn with an empty agent, one by one', turn),
    `a whole turn costs ${ratio.toFixed(1)} raw jobs (limit on redis-server: ${LIMIT})`,
    '',
  ].join('\n'),
);
await redis.stop();
directory.remove();
process.exit(ratio > LIMIT && kind === 'redis-server' ? 1 : 0);

async function measureRawJobs(): Promise<number> {
  const done = new Map<string, () => void>();
  const settings = { connection: { ...target, maxRetriesPerRequest: null }, prefix: 'raw' };
  const queue = new Queue('raw', settings);
  const worker = new Worker('raw', async (job) => done.get(job.id ?? '')?.(), settings);
  await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
  const runOne = async (i: number): Promise<void> => {
    const processed = new Promise<void>((resolve) => done.set(`job-${i}`, resolve));
    await queue.add('job', { i }, { jobId: `job-${i}` });
    await processed;
  };
  for (let i = 0; i < 50; i += 1) await runOne(i);
  const started = performance.now();
  for (let i = 50; i < 50 + RAW; i += 1) await runOne(i);
  const each = (performance.now() - started) / RAW;
  await worker.close();
  await queue.close();
  return each;
}

async function measureLedger(): Promise<{ sequential: number; parallel: number; turn: number }> {
  const state = openState(join(directory.path, 'state.db'));
  state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
  const queue = createTurnQueue({ target, log });
  await queue.waitUntilReady();
  const silence = createHolderSilence({ monotonicNow: () => performance.now(), hearingSince: () => 0 });
  const mayReport = createReportLimit(() => performance.now());
  const keys = { current: 'k'.repeat(64), older: [] };
  const refresh = async () => ({ kind: 'fresh' as const });
  const waiting = new Map<string, () => void>();
  const server = await serveLedger({
    target,
    log,
    keyOf: (name) => computeSender(keys.current, name).key,
    onRejected: () => {},
    answer: async (letter) => {
      const desk = {
        state,
        queue,
        silence,
        mayReport,
        billing: { limits: () => ({}), prices: () => new Map() },
        keys,
        agentsOf: () => undefined,
        refresh,
        author: () => ROBOT_AUTHOR,
        uploads: NO_UPLOADS,
        now: () => Date.now(),
        log,
      };
      const answer = await answerLedger(desk, letter);
      const { kind: verb, turnKey } = Object(letter.message);
      if (verb === 'freeze') waiting.get(turnKey)?.();
      return answer;
    },
  });

  const held = aTurn({ state: 'running', epoch: 1, begins: ['w@r'], workerId: 'w' });
  state.recordTurn(held, null);
  const sender = () => computeSender(keys.current, 'w');
  const client = await createLedgerClient({ target, log, sender });
  let sequence = 0;
  const ask = () => {
    sequence += 1;
    const message: LedgerDraft = {
      kind: 'progress',
      turnKey: held.turnKey,
      attempt: 1,
      sequence,
      step: 'bench',
    };
    return client.ask(withProof(message, state.readTurn, keys.current), 10_000);
  };
  for (let i = 0; i < 50; i += 1) await ask();
  const sequential = await time(CALLS, async () => {
    for (let i = 0; i < CALLS; i += 1) await ask();
  });
  const parallel = await time(CALLS, async () => {
    for (let i = 0; i < CALLS / 50; i += 1) await Promise.all(Array.from({ length: 50 }, ask));
  });

  const worker = await runWorker({
    target,
    log,
    sender,
    spoolRoot: join(directory.path, 'workers'),
    slots: 1,
    drainGraceMs: 1_000,
    makePlan: async ({ turnKey }) => ({ kind: 'planned', parcel: aPlanWithoutCommit(turnKey) }),
    pushPlan: async () => ({ kind: 'pushed', reason: null }),
  });
  const runOne = async (): Promise<void> => {
    const opened = aTurn();
    const queued = queueTurn(opened) ?? opened;
    state.transaction(() => state.recordTurn(queued, null));
    const spoken = new Promise<void>((resolve) => waiting.set(opened.turnKey, resolve));
    await queue.enqueueTurns([queued]);
    await spoken;
  };
  for (let i = 0; i < 20; i += 1) await runOne();
  const turn = await time(TURNS, async () => {
    for (let i = 0; i < TURNS; i += 1) await runOne();
  });
  await worker.drain();
  await client.close();
  await server.close();
  await queue.close();
  state.close();
  return { sequential, parallel, turn };
}

async function time(count: number, work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / count;
}
