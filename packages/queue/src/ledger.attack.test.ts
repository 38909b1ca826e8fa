import { createHash, randomBytes } from 'node:crypto';
import { silentLog } from '@mergexo/core/basics';
import { buildRequestId, computeSender, type LedgerAnswer, type LedgerMessage } from '@mergexo/core/ledger';
import { aPlan, createTemporaryDirectory, eventually, ROBOT_AUTHOR } from '@mergexo/testkit';
import { Queue, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import { consumerConnection, createRedis, producerConnection } from './connect.js';
import {
  chooseRedisKind,
  type EmbeddedRedis,
  startEmbeddedRedis,
} from './embedded-redis/start-embedded-redis.js';
import { createLedgerClient, LEDGER_QUEUE, type LedgerClient } from './ledger-client.js';
import { MAX_PARCEL_BYTES } from './parcels.js';
import { type LedgerServer, serveLedger, type VerifiedMessage } from './serve-ledger.js';
import { REJECTED, type SignedRequest, signReply, signRequest } from './signed-envelope.js';

const SIGNING_KEY = 's'.repeat(64);
const WORKER = computeSender(SIGNING_KEY, 'w1');
const OTHER = computeSender(SIGNING_KEY, 'w2');
const OLDER = computeSender('o'.repeat(64), 'w1');
const log = silentLog;

let serial = 0;
const aHeld = () => {
  serial += 1;
  const turnKey = createHash('sha256').update(`turn ${serial}`).digest('hex');
  return { turnKey, attempt: 1, proof: 'f'.repeat(64) };
};
const aMessage = (): LedgerMessage => ({ kind: 'release', ...aHeld(), reason: 'ré' });
const aLargeMessage = (): LedgerMessage => ({
  kind: 'freeze',
  ...aHeld(),
  parcel: { ...aPlan('p'), bundle: randomBytes(30_000).toString('base64') },
  finished: false,
});
const aBegunTurn = (changes: object = {}): LedgerAnswer => ({
  kind: 'begun',
  turnKey: 'a'.repeat(64),
  attempt: 1,
  secret: 'e'.repeat(64),
  turnKind: 'review',
  repoId: 1,
  issueNumber: null,
  prNumber: 2,
  context: null,
  frozen: null,
  author: ROBOT_AUTHOR,
  ...changes,
});

describe('somebody with the Redis password', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let embedded: EmbeddedRedis;
  let redis: Redis;
  beforeAll(async () => {
    directory = createTemporaryDirectory();
    const kind = chooseRedisKind(process.env['PATH'] ?? '');
    embedded = await startEmbeddedRedis({ dir: directory.path, kind, log });
    redis = createRedis(embedded.target);
    await redis.connect();
  });
  afterAll(async () => {
    redis.disconnect();
    await embedded.stop();
    directory.remove();
  });

  const scopeOf = (prefix: string) => ({ target: embedded.target, log, prefix });
  const serve = async (prefix: string, answer: (verified: VerifiedMessage) => LedgerAnswer) => {
    const received: VerifiedMessage[] = [];
    const rejected: (string | null)[] = [];
    const warnings: unknown[] = [];
    const server: LedgerServer = await serveLedger({
      ...scopeOf(prefix),
      log: { ...log, warn: (facts: unknown) => void warnings.push(facts) },
      keyOf: (name) => computeSender(SIGNING_KEY, name).key,
      onRejected: ({ from }) => void rejected.push(from),
      answer: (verified) => {
        received.push(verified);
        return answer(verified);
      },
    });
    return { received, rejected, warnings, close: () => server.close() };
  };
  const openQueue = (prefix: string): Queue =>
    new Queue(LEDGER_QUEUE, { connection: producerConnection(embedded.target), prefix });

  describe('writes a message to the poller', () => {
    const prefix = 'requests';
    let queue: Queue;
    let poller: Awaited<ReturnType<typeof serve>>;
    beforeAll(async () => {
      poller = await serve(prefix, () => ({ kind: 'ok' }));
      queue = openQueue(prefix);
      await queue.waitUntilReady();
    });
    beforeEach(() => {
      poller.received.length = 0;
      poller.rejected.length = 0;
      poller.warnings.length = 0;
    });
    afterAll(async () => {
      await queue.close();
      await poller.close();
    });

    const text = JSON.stringify(aMessage());
    const sign = (content: string, jobId: string, sender = WORKER): SignedRequest =>
      signRequest({ text: content }, jobId, sender);
    const twisted = (changes: object) => (jobId: string) => ({ ...sign(text, jobId), ...changes });
    const without = (name: string) => (jobId: string) =>
      Object.fromEntries(Object.entries(sign(text, jobId)).filter(([key]) => key !== name));
    /** The attacker copied another worker's message, which is signed for another job id. */
    const recorded = sign(text, 'another-job');

    const FORGERIES: [string, (jobId: string) => unknown][] = [
      ['as a bare object', () => JSON.parse(text)],
      ['as text', () => text],
      ['as null', () => null],
      ['as a number', () => 7],
      ['as a list', (jobId) => [sign(text, jobId)]],
      ['in the unsigned format', () => ({ text })],
      ['without a signature', without('mac')],
      ['without a sender', without('from')],
      ['without content', without('text')],
      ['with an invented signature', twisted({ mac: 'f'.repeat(64) })],
      ['with half a signature', twisted({ mac: recorded.mac.slice(0, 32) })],
      ['with a signature that lacks one character', twisted({ mac: recorded.mac.slice(1) })],
      ['with an empty signature', twisted({ mac: '' })],
      ['with a list as the signature', (jobId) => twisted({ mac: [sign(text, jobId).mac] })(jobId)],
      ['with a number as the signature', twisted({ mac: 0 })],
      ['with true as the signature', twisted({ mac: true })],
      [
        'with a signature in capitals',
        (jobId) => twisted({ mac: sign(text, jobId).mac.toUpperCase() })(jobId),
      ],
      ['with a trailing line break', (jobId) => twisted({ mac: `${sign(text, jobId).mac}\n` })(jobId)],
      ['with the signature of another message', (jobId) => twisted({ mac: sign('{}', jobId).mac })(jobId)],
      ['in the name of another worker', twisted({ from: 'w2' })],
      ['in the name of the operator', twisted({ from: 'operator' })],
      ['with an empty sender name', twisted({ from: '' })],
      ['in a name with capitals', twisted({ from: 'W1' })],
      ['in a full-width name', twisted({ from: '\uFF57\uFF11' })],
      ['in a Cyrillic look-alike name', twisted({ from: '\u0461\u0031' })],
      ['in a name with a null character', twisted({ from: 'w1\0' })],
      ['in a name with a zero-width space', twisted({ from: 'w1\u200b' })],
      ['in a name with a trailing line break', twisted({ from: 'w1\n' })],
      ['in the name __proto__', twisted({ from: '__proto__' })],
      ['in the name constructor', twisted({ from: 'constructor' })],
      ['with a list as the sender', twisted({ from: ['w1'] })],
      ['with different content', twisted({ text: JSON.stringify(aMessage()) })],
      ['with one more space', twisted({ text: `${text} ` })],
      ['in another Unicode form', twisted({ text: text.normalize('NFD') })],
      ['with an unknown field', twisted({ admin: true })],
      ['with content and a parcel', twisted({ parcel: 'a'.repeat(64) })],
      [
        'with a parcel instead of the signed content',
        (jobId) => ({ ...without('text')(jobId), parcel: 'a'.repeat(64) }),
      ],
      ['copied from another worker to a new job', () => recorded],
      ['signed with the key of another worker', (jobId) => ({ ...sign(text, jobId, OTHER), from: 'w1' })],
      ['signed with a key from an older secret', (jobId) => sign(text, jobId, OLDER)],
      ['signed with an empty key', (jobId) => sign(text, jobId, { name: 'w1', key: '' })],
      [
        'signed with the Redis password',
        (jobId) => sign(text, jobId, { name: 'w1', key: embedded.target.password ?? '' }),
      ],
      [
        'that is an answer from the poller',
        (jobId) => ({ ...signReply({ text }, jobId, WORKER.key), from: 'w1' }),
      ],
      ['with 8,193 bytes in the job', (jobId) => sign('x'.repeat(8_193), jobId)],
      ['with 8,194 bytes in 4,097 characters', (jobId) => sign('é'.repeat(4_097), jobId)],
      ['with 1 MB in the job', (jobId) => sign('x'.repeat(1_048_576), jobId)],
      ['nested 1,000 levels deep', () => JSON.parse('['.repeat(1_000) + ']'.repeat(1_000))],
      [
        'with a polluted prototype',
        (jobId) => JSON.parse(`{"__proto__":{"mac":"${sign(text, jobId).mac}"},"text":"x","from":"w1"}`),
      ],
    ];
    it.each(FORGERIES)('%s: the poller does not read it', async (_name, forge) => {
      serial += 1;
      const jobId = `forged-${serial}`;
      const job = await queue.add('begin', forge(jobId), { jobId });
      await eventually(async () => expect(await job.getState()).toBe('completed'));
      expect((await queue.getJob(jobId))?.returnvalue).toEqual(REJECTED);
      expect(poller.received).toEqual([]);
      expect(poller.rejected).toHaveLength(1);
      expect(Object.keys(Object.prototype)).toEqual([]);
    });

    it('replays a signed message: the poller gets the same message from the same sender', async () => {
      const job = await queue.add('release', recorded, { jobId: 'another-job' });
      await eventually(async () => expect(await job.getState()).toBe('completed'));
      expect(poller.received).toEqual([{ message: JSON.parse(text), from: 'w1' }]);
    });

    it('queues 50 jobs without a name or content: the poller counts them and logs no warning', async () => {
      const ghosts = Array.from({ length: 50 }, (_, index) => `ghost-${index}`);
      await redis.lpush(`${prefix}:${LEDGER_QUEUE}:wait`, ...ghosts);
      await redis.zadd(`${prefix}:${LEDGER_QUEUE}:marker`, 0, '0');
      await eventually(async () => expect(poller.rejected).toHaveLength(50));
      const job = await queue.add('release', sign(text, 'after-ghosts'), { jobId: 'after-ghosts' });
      await eventually(async () => expect(await job.getState()).toBe('completed'));
      expect([poller.received.length, poller.warnings]).toEqual([1, []]);
    });

    it('repeats a signed message 50 times after its parcel is gone: the poller logs one warning', async () => {
      const signed = signRequest({ parcel: 'b'.repeat(64) }, 'gone', WORKER);
      for (let round = 0; round < 50; round += 1) {
        const job = await queue.add('x'.repeat(1_000), signed, { jobId: 'gone' });
        await eventually(async () => expect(await job.getState()).toBe('failed'));
        await job.remove();
      }
      expect(poller.warnings).toEqual([expect.objectContaining({ message_kind: 'x'.repeat(40) })]);
      expect(poller.received).toEqual([]);
    });
  });

  describe('writes an answer to a worker', () => {
    const prefix = 'replies';
    let client: LedgerClient;
    let forge: (jobId: string, data: SignedRequest) => unknown;
    let forger: Worker;
    beforeAll(async () => {
      client = await createLedgerClient({ ...scopeOf(prefix), sender: () => WORKER });
      forger = new Worker(LEDGER_QUEUE, async (job) => forge(job.id ?? '', job.data), {
        connection: consumerConnection(embedded.target),
        prefix,
      });
      forger.on('error', () => {});
      await forger.waitUntilReady();
    });
    afterAll(async () => {
      await client.close();
      await forger.close();
    });

    const text = JSON.stringify(aBegunTurn());
    const reply = (jobId: string, content = text, key = WORKER.key) =>
      signReply({ text: content }, jobId, key);
    const FABRICATED: [string, typeof forge][] = [
      ['that fabricates a turn', () => aBegunTurn()],
      ['that fabricates a turn as text', () => text],
      ['in the unsigned format', () => ({ text })],
      ['without content', () => null],
      ['that rejects the worker', () => REJECTED],
      ['that says ok', () => ({ kind: 'ok' })],
      ['with an invented signature', () => ({ text, mac: 'f'.repeat(64) })],
      ['with half a signature', (jobId) => ({ text, mac: reply(jobId).mac.slice(32) })],
      ['with an empty signature', () => ({ text, mac: '' })],
      ['with a list as the signature', (jobId) => ({ text, mac: [reply(jobId).mac] })],
      ['with a signature in capitals', (jobId) => ({ text, mac: reply(jobId).mac.toUpperCase() })],
      ['that was meant for another worker', (jobId) => reply(jobId, text, OTHER.key)],
      ['signed with a key from an older secret', (jobId) => reply(jobId, text, OLDER.key)],
      ['signed with an empty key', (jobId) => reply(jobId, text, '')],
      ['that answered an earlier request', () => reply('an-earlier-job')],
      [
        'that answered the same kind of message for another attempt',
        (jobId) => reply(jobId.replace(/1$/, '2')),
      ],
      [
        'with another turn',
        (jobId) => ({ ...reply(jobId), text: JSON.stringify(aBegunTurn({ repoId: 2 })) }),
      ],
      [
        'with a changed plan',
        (jobId) => ({ ...reply(jobId), text: JSON.stringify(aBegunTurn({ frozen: aPlan('evil') })) }),
      ],
      ['with another secret', (jobId) => ({ ...reply(jobId), text: text.replace(/e{64}/, 'd'.repeat(64)) })],
      [
        'with a stop instead of ok',
        (jobId) => ({ ...reply(jobId, '{"kind":"ok"}'), text: '{"kind":"stop","reason":""}' }),
      ],
      ['with an unknown field', (jobId) => ({ ...reply(jobId), admin: true })],
      ['with content and a parcel', (jobId) => ({ ...reply(jobId), parcel: 'a'.repeat(64) })],
      [
        'with a parcel instead of the signed content',
        (jobId) => ({ parcel: 'a'.repeat(64), mac: reply(jobId).mac }),
      ],
      [
        'that is the request itself',
        (_jobId, { mac, ...request }) => ({ text: 'text' in request ? request.text : '', mac }),
      ],
      [
        'with 1 MB in the job',
        (jobId) => reply(jobId, JSON.stringify(aBegunTurn({ context: 'x'.repeat(1_048_576) }))),
      ],
      [
        'with a polluted prototype',
        (jobId) => JSON.parse(`{"__proto__":{"mac":"${reply(jobId).mac}"},"text":"{}"}`),
      ],
    ];
    it.each(FABRICATED)('%s: the worker does not read it, and asks again', async (_name, forgery) => {
      forge = forgery;
      const message = aMessage();
      await expect(client.ask(message, 20_000)).rejects.toMatchObject({ kind: 'unauthorized' });
      forge = (jobId) => reply(jobId, '{"kind":"ok"}');
      expect(await client.ask(message, 20_000)).toEqual({ kind: 'ok' });
      expect(Object.keys(Object.prototype)).toEqual([]);
    });
  });

  it('writes an unreadable event: running clients skip it and still get answers', async () => {
    const prefix = 'events';
    const warnings: unknown[] = [];
    let release = (): void => {};
    const written = new Promise<void>((resolve) => {
      release = resolve;
    });
    const poller = await serveLedger({
      ...scopeOf(prefix),
      keyOf: (name) => computeSender(SIGNING_KEY, name).key,
      onRejected: () => {},
      answer: async () => {
        await written;
        return { kind: 'ok' };
      },
    });
    const client = await createLedgerClient({
      ...scopeOf(prefix),
      sender: () => WORKER,
      log: { ...log, warn: (facts: unknown) => void warnings.push(facts) },
    });
    try {
      const answered = client.ask(aMessage(), 60_000);
      const entry = ['event', 'completed', 'jobId', 'x', 'returnvalue', 'no json'];
      await redis.xadd(`${prefix}:${LEDGER_QUEUE}:events`, '*', ...entry);
      await eventually(() => expect(warnings).toHaveLength(1));
      release();
      expect(await answered).toEqual({ kind: 'ok' });
      expect(await client.ask(aMessage(), 60_000)).toEqual({ kind: 'ok' });
    } finally {
      release();
      await client.close();
      await poller.close();
    }
  });

  describe('changes the parcel', () => {
    const opened: { close(): Promise<void> }[] = [];
    const closeLater = <T extends { close(): Promise<void> }>(one: T): T => {
      opened.push(one);
      return one;
    };
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.close();
    });
    const TAMPERINGS: [string, (key: string) => Promise<unknown>][] = [
      ['by one byte', (key) => redis.setrange(key, 100, 'X')],
      ['by an appended byte', (key) => redis.append(key, ' ')],
      [
        'by truncating it',
        async (key) => redis.set(key, (await redis.getBuffer(key))?.subarray(0, 100) ?? ''),
      ],
      ['by emptying it', (key) => redis.set(key, '')],
      ['by removing it', (key) => redis.del(key)],
      ['by replacing it with another message', (key) => redis.set(key, JSON.stringify(aLargeMessage()))],
      ['into a list', async (key) => [await redis.del(key), await redis.lpush(key, 'x')]],
      ['by growing it beyond the limit', (key) => redis.setrange(key, MAX_PARCEL_BYTES, 'x')],
      [
        'by converting it to another Unicode form',
        async (key) => redis.set(key, (await redis.get(key))?.normalize('NFD') ?? ''),
      ],
    ];

    it.each(TAMPERINGS)('of a message %s: the poller reads only the original', async (_name, tamper) => {
      serial += 1;
      const prefix = `parcel-${serial}`;
      const message = aLargeMessage();
      const client = closeLater(await createLedgerClient({ ...scopeOf(prefix), sender: () => WORKER }));
      const early = client.ask(message, 30_000).catch((error: Error) => error);
      const key = await findParcel(prefix);
      await tamper(key);
      const poller = closeLater(await serve(prefix, () => ({ kind: 'ok' })));
      await early;
      await redis.del(key);
      expect(await client.ask(message, 30_000)).toEqual({ kind: 'ok' });
      expect(poller.received).toEqual([{ message, from: 'w1' }]);
    });

    it.each(TAMPERINGS)('of an answer %s: the worker reads only the original', async (_name, tamper) => {
      serial += 1;
      const prefix = `parcel-${serial}`;
      const message = aMessage();
      const answer = aBegunTurn({ context: 'ré'.repeat(10_000) });
      closeLater(await serve(prefix, () => answer));
      const client = closeLater(await createLedgerClient({ ...scopeOf(prefix), sender: () => WORKER }));
      expect(await client.ask(message, 30_000)).toEqual(answer);
      // The worker dropped the parcel after it read the answer. The finished job is still in Redis, so a repeated message
      // finds a parcel that the attacker puts back.
      const key = keyOfParcel(prefix, JSON.stringify(answer));
      expect(await redis.exists(key)).toBe(0);
      await redis.set(key, JSON.stringify(answer));
      await tamper(key);
      await expect(client.ask(message, 30_000)).rejects.toMatchObject({ kind: 'unavailable' });
      await redis.del(key);
      expect(await client.ask(message, 30_000)).toEqual(answer);
    });

    const keyOfParcel = (prefix: string, text: string): string =>
      `${prefix}:parcel:${createHash('sha256').update(text).digest('hex')}`;
    const findParcel = (prefix: string): Promise<string> =>
      eventually(async () => {
        const keys = await redis.keys(`${prefix}:parcel:*`);
        const [key] = keys.filter((name) => /:[0-9a-f]{64}$/.test(name));
        if (key === undefined) throw new Error('no parcel yet');
        return key;
      });

    it('of one message to that of another: the signature does not match', async () => {
      const [mine, foreign] = [aLargeMessage(), aLargeMessage()];
      const poller = closeLater(await serve('swap', () => ({ kind: 'ok' })));
      const queue = closeLater(openQueue('swap'));
      const jobId = buildRequestId(mine);
      const key = keyOfParcel('swap', JSON.stringify(foreign));
      await redis.set(key, JSON.stringify(foreign));
      const signed = signRequest({ parcel: 'b'.repeat(64) }, jobId, WORKER);
      const job = await queue.add('freeze', { ...signed, parcel: key.slice(-64) }, { jobId });
      await eventually(async () => expect(await job.getState()).toBe('completed'));
      expect([poller.received, poller.rejected]).toEqual([[], ['w1']]);
    });
  });
});
