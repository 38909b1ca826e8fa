import { Failure } from '@mergexo/core/basics';
import { Redis } from 'ioredis';

/** The address of Redis. A separate interface, because the option types of BullMQ and ioredis are incompatible. */
export interface RedisTarget {
  host?: string;
  port?: number;
  path?: string;
  username?: string;
  password?: string;
  db?: number;
  tls?: object;
}

/** Waits at most 1 s between attempts, so that every client reconnects within a second after an outage. */
const retryStrategy = (tries: number): number => Math.min(50 * 2 ** tries, 1_000);

const CONNECT_MS = 4_000;
/**
 * A connection that is silent for this long counts as dead. A frozen Redis, or a network that drops packets, does not
 * close its connections. Without this limit, a client would wait about 15 minutes for the kernel to give up. The limit
 * is longer than BullMQ's longest blocking command, which takes 10 s.
 */
const CONSUMER_SILENCE_MS = 12_000;
const PRODUCER_SILENCE_MS = 6_000;
/** Keeps firewalls from dropping idle connections. */
const KEEP_ALIVE_MS = 10_000;

/** How long a BullMQ worker waits after an error. The default of 15 s would outlast most outages. */
export const RUN_RETRY_MS = 1_000;

const common = { retryStrategy, connectTimeout: CONNECT_MS, keepAlive: KEEP_ALIVE_MS };

/** Options for consumers, which wait for Redis without a time limit and resend unanswered commands. */
export function consumerConnection(target: RedisTarget) {
  return { ...target, ...common, socketTimeout: CONSUMER_SILENCE_MS, maxRetriesPerRequest: null };
}

/** Options for producers, which fail fast during an outage, because SQLite or the spool still has the data. */
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

/** Runs the work with a temporary connection. Fails if Redis does not respond. */
export async function withRedis<T>(target: RedisTarget, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = createRedis(target);
  redis.on('error', () => {});
  try {
    await redis.connect();
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

/**
 * Parses the URL. A separate password takes precedence, so that the URL, which people may copy and share,
 * need not contain one.
 */
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

/** Returns the address for logs, without the password. */
export function describeTarget({ host, port, path, db }: RedisTarget): string {
  return path ?? `${host ?? '127.0.0.1'}:${port ?? 6379}/${db ?? 0}`;
}
