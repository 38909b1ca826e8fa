import { Failure } from '@mergexo/core/basics';
import { Redis } from 'ioredis';

/** Where Redis is. A plain interface of our own: BullMQ and ioredis each refuse the other's option type. */
export interface RedisTarget {
  host?: string;
  port?: number;
  path?: string;
  username?: string;
  password?: string;
  db?: number;
  tls?: object;
}

/** Quick first tries and never more than a second apart: after an outage everyone is back within a second. */
const retryStrategy = (tries: number): number => Math.min(50 * 2 ** tries, 1_000);

const CONNECT_MS = 4_000;
/**
 * A frozen Redis, or a network that drops packets, closes no connection: without a limit a client waits for the kernel to
 * give up, about 15 minutes. Longer than BullMQ's longest blocking command, which takes 10 s.
 */
const CONSUMER_SILENCE_MS = 12_000;
const PRODUCER_SILENCE_MS = 6_000;
/** Keeps idle connections alive in firewalls that forget them. */
const KEEP_ALIVE_MS = 10_000;

/** How long a BullMQ worker rests after an error; its own 15 s would outlast the outage. */
export const RUN_RETRY_MS = 1_000;

const common = { retryStrategy, connectTimeout: CONNECT_MS, keepAlive: KEEP_ALIVE_MS };

/** For consumers: they wait for Redis to come back, however long it takes, and repeat what was not answered. */
export function consumerConnection(target: RedisTarget) {
  return { ...target, ...common, socketTimeout: CONSUMER_SILENCE_MS, maxRetriesPerRequest: null };
}

/** For producers: they fail soon during an outage; SQLite or the spool keeps what they wanted to send. */
export function producerConnection(target: RedisTarget) {
  return {
    ...target,
    ...common,
    socketTimeout: PRODUCER_SILENCE_MS,
    commandTimeout: PRODUCER_SILENCE_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
  };
}

export function createRedis(target: RedisTarget, options: { silenceMs?: number } = {}): Redis {
  const { silenceMs } = options;
  return new Redis({
    ...producerConnection(target),
    ...(silenceMs !== undefined && { socketTimeout: silenceMs, commandTimeout: silenceMs }),
    lazyConnect: true,
    disconnectTimeout: 100,
  });
}

/** A password that is given apart wins: it need not stand in a URL, where it is easily copied. */
export function parseRedisUrl(text: string, password?: string): RedisTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'unix:')
    return { path: decodeURIComponent(url.pathname), ...(password !== undefined && { password }) };
  if (url === undefined || !['redis:', 'rediss:'].includes(url.protocol) || url.hostname === '') {
    throw new Failure(
      'invalid-data',
      'The Redis URL must look like redis://host:6379/0, rediss://… or unix:///path/to/socket.',
    );
  }
  const db = url.pathname.replace(/^\//, '');
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 6379 : Number(url.port),
    ...(url.username !== '' && { username: decodeURIComponent(url.username) }),
    ...(url.password !== '' && { password: decodeURIComponent(url.password) }),
    ...(password !== undefined && { password }),
    ...(/^\d+$/.test(db) && { db: Number(db) }),
    ...(url.protocol === 'rediss:' && { tls: {} }),
  };
}

/** For logs: everything but the password. */
export function describeTarget({ host, port, path, db }: RedisTarget): string {
  return path ?? `${host ?? '127.0.0.1'}:${port ?? 6379}/${db ?? 0}`;
}
