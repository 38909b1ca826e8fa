import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLog } from '@mergexo/core/basics';
import {
  computeSender,
  type HeldDraft,
  type LedgerAnswer,
  proveMessage,
  queueTurn,
} from '@mergexo/core/ledger';
import type { Turn } from '@mergexo/core/turns';
import { answerLedger, createHolderSilence, createReportLimit } from '@mergexo/poller';
import {
  chooseRedisKind,
  createLedgerClient,
  createRedis,
  createTurnQueue,
  type EmbeddedRedis,
  serveLedger,
  startEmbeddedRedis,
} from '@mergexo/queue';
import { openState, type State } from '@mergexo/state';
import {
  aPlan,
  aTurn,
  createTemporaryDirectory,
  eventually,
  NO_UPLOADS,
  ROBOT_AUTHOR,
} from '@mergexo/testkit';
import { type MakePlan, type RunningWorker, runWorker } from '@mergexo/worker';
import { Queue, Worker } from 'bullmq';

const KEY = 's'.repeat(64);
const log = silentLog;

/** Real Redis, SQLite, ledger and worker. Only the agent and the remote are scripted. */
describe('somebody with the Redis password and a real worker', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let redis: EmbeddedRedis;
  let state: State;
  let prefix: string;
  let rounds = 0;
  const closers: (() => unknown)[] = [];
  beforeAll(async () => {
    directory = createTemporaryDirectory();
    const kind = chooseRedisKind(process.env['PATH'] ?? '');
    redis = await startEmbeddedRedis({ dir: join(directory.path, 'r'), kind, log });
    state = openState(join(directory.path, 'state.db'));
    state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
  });
  beforeEach(() => {
    rounds += 1;
    prefix = `round-${rounds}`;
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  afterAll(async () => {
    state.close();
    await redis.stop();
    directory.remove();
  });

  const scope = () => ({ target: redis.target, log, prefix });
  const read = ({ turnKey }: Turn): Turn | undefined => state.readTurn(turnKey);

  const queueOne = async (): Promise<Turn> => {
    const opened = aTurn();
    const turn = queueTurn(opened) ?? opened;
    state.recordTurn(turn, { honest: true });
    const queue = createTurnQueue(scope());
    closers.push(() => queue.close());
    await queue.waitUntilReady();
    await queue.enqueueTurns([turn]);
    return turn;
  };

  const servePoller = async () => {
    const silence = createHolderSilence({ monotonicNow: () => performance.now(), hearingSince: () => 0 });
    const queue = { enqueueTurns: async () => {}, prioritiseTurns: async () => {} };
    const keys = { current: KEY, older: [] };
    const refresh = async () => ({ kind: 'fresh' as const });
    const mayReport = createReportLimit(() => performance.now());
    const tools = {
      state,
      queue,
      silence,
      mayReport,
      billing: { limits: () => ({}), prices: () => new Map() },
      keys,
      agentsOf: () => undefined,
      refresh,
      now: Date.now,
      log,
    };
    const server = await serveLedger({
      ...scope(),
      keyOf: (name) => computeSender(KEY, name).key,
      onRejected: () => {},
      answer: (letter) => answerLedger({ ...tools, author: () => ROBOT_AUTHOR, uploads: NO_UPLOADS }, letter),
    });
    closers.push(() => server.close());
    return server;
  };

  /** Answers every message of the worker in place of the poller, but without a key. */
  const impersonatePoller = async (forge: (kind: string, jobId: string) => unknown) => {
    const answered: string[] = [];
    const forger = new Worker(
      'ledger',
      async (job) => {
        answered.push(job.name);
        return forge(job.name, job.id ?? '');
      },
      { connection: { ...redis.target, maxRetriesPerRequest: null }, prefix },
    );
    forger.on('error', () => {});
    closers.push(() => forger.close());
    await forger.waitUntilReady();
    return { answered, stop: () => forger.close() };
  };

  const startWorker = async (name: string, makePlan: MakePlan) => {
    const pushed: string[] = [];
    const worker: RunningWorker = await runWorker({
      ...scope(),
      sender: () => computeSender(KEY, name),
      spoolRoot: join(directory.path, `workers-${rounds}-${name}`),
      slots: 1,
      drainGraceMs: 0,
      makePlan,
      pushPlan: async (begun) => {
        pushed.push(begun.turnKey);
        return { kind: 'pushed', reason: null };
      },
    });
    closers.push(() => worker.drain());
    return { pushed };
  };

  const fabricated = (turn: Turn, changes: object = {}): LedgerAnswer => ({
    kind: 'begun',
    turnKey: turn.turnKey,
    attempt: 1,
    secret: 'e'.repeat(64),
    turnKind: 'bugfix_start',
    repoId: 1,
    issueNumber: 1,
    prNumber: null,
    context: { evil: true },
    frozen: null,
    author: ROBOT_AUTHOR,
    ...changes,
  });

  it.each<[string, (answer: LedgerAnswer) => unknown]>([
    ['as it is', (answer) => answer],
    ['without a signature', (answer) => ({ text: JSON.stringify(answer) })],
    ['with an invented signature', (answer) => ({ text: JSON.stringify(answer), mac: 'f'.repeat(64) })],
  ])(
    'answers begin with a fabricated turn and plan, %s: no agent starts and nothing is pushed',
    async (_name, wrap) => {
      const asked: unknown[] = [];
      const turn = await queueOne();
      const forger = await impersonatePoller(() => wrap(fabricated(turn, { frozen: aPlan('evil') })));
      const { pushed } = await startWorker('w1', async (begun) => {
        asked.push(begun.context);
        return { kind: 'planned', parcel: aPlan('x') };
      });
      const begins = () => forger.answered.filter((kind) => kind === 'begin').length;
      await eventually(async () => expect(begins()).toBeGreaterThan(1));
      expect([asked, pushed]).toEqual([[], []]);
      await forger.stop();
      await servePoller();
      await eventually(async () => expect(asked).toEqual([{ honest: true }]), 20_000);
      await eventually(async () => expect(read(turn)?.state).toBe('done'), 20_000);
    },
  );

  it('tells a working worker to stop: the worker continues, and its plan arrives', async () => {
    const turn = await queueOne();
    const honest = await servePoller();
    let finish = (): void => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let signal: AbortSignal | undefined;
    const { pushed } = await startWorker('w1', async (_begun, stop) => {
      signal = stop;
      await finished;
      return { kind: 'planned', parcel: aPlan('honest') };
    });
    await eventually(async () => expect(signal).toBeDefined());
    await honest.close();
    const stop = { text: JSON.stringify({ kind: 'stop', reason: 'forged' }), mac: 'f'.repeat(64) };
    const forger = await impersonatePoller(() => stop);
    await eventually(async () => expect(forger.answered).toContain('progress'), 20_000);
    await forger.stop();
    expect(signal?.aborted).toBe(false);
    await servePoller();
    finish();
    await eventually(async () => expect(pushed).toEqual([turn.turnKey]), 20_000);
    await eventually(async () => expect(read(turn)?.state).toBe('done'), 20_000);
  });

  it.each([
    ['a worker with another key', 'w2'],
    ['a worker whose name starts with the same letters', 'w11'],
  ])('reads the secret of an attempt from Redis as %s: it cannot act for the attempt', async (_who, name) => {
    const turn = await queueOne();
    await servePoller();
    await startWorker('w1', async (_begun, stop) => {
      await sleep(60_000, undefined, { signal: stop }).catch(() => {});
      return { kind: 'planned', parcel: aPlan('late') };
    });
    const secret = await eventually(async () => {
      const [, found] = /"secret\\":\\"([0-9a-f]{64})/.exec(JSON.stringify(await readJobs())) ?? [];
      if (found === undefined) throw new Error('no begin yet');
      return found;
    });
    const thief = computeSender(KEY, name);
    const client = await createLedgerClient({ ...scope(), sender: () => thief });
    closers.push(() => client.close());
    const held = { turnKey: turn.turnKey, attempt: 1 };
    const usage = { inputTokens: 0, outputTokens: 0, costUsd: 0 };
    const release: HeldDraft = { kind: 'release', ...held, reason: 'stolen' };
    const fail: HeldDraft = { kind: 'fail', ...held, cause: 'agent', reason: 'x', retryAfterMs: null, usage };
    const freeze: HeldDraft = { kind: 'freeze', ...held, parcel: aPlan('evil'), finished: false };
    const attempts: [HeldDraft, string][] = [
      [release, thief.key],
      [fail, secret],
      [freeze, ''],
    ];
    for (const [draft, workerKey] of attempts) {
      const answer = await client.ask(proveMessage(draft, { secret, workerKey }), 20_000);
      expect(answer).toMatchObject({ kind: 'refused' });
    }
    expect(read(turn)).toMatchObject({ state: 'running', begins: [expect.stringMatching(/^w1@/)] });
  });

  const readJobs = async (): Promise<unknown[]> => {
    const queue = new Queue('ledger', { connection: { ...redis.target }, prefix });
    try {
      return (await queue.getJobs(['completed'])).map(({ returnvalue }) => returnvalue);
    } finally {
      await queue.close();
    }
  };

  it('starts a worker with the key of another installation: the poller gives the worker no turn', async () => {
    const turn = await queueOne();
    await servePoller();
    const asked: unknown[] = [];
    const worker = await runWorker({
      ...scope(),
      sender: () => computeSender('x'.repeat(64), 'stranger'),
      spoolRoot: join(directory.path, `workers-${rounds}`),
      slots: 1,
      drainGraceMs: 0,
      makePlan: async (begun) => {
        asked.push(begun);
        return { kind: 'planned', parcel: aPlan('x') };
      },
      pushPlan: async () => ({ kind: 'pushed', reason: null }),
    });
    closers.push(() => worker.drain());
    const raw = createRedis(redis.target);
    await raw.connect();
    closers.push(() => raw.disconnect());
    await eventually(async () => expect(await raw.keys(`${prefix}:ledger:heartbeat-*`)).toEqual([]));
    await sleep(1_000);
    const leases = state.listWorkerLeases().filter(({ workerId }) => workerId.startsWith('stranger'));
    expect([asked, read(turn)?.begins, leases]).toEqual([[], [], []]);
  });
});
