import { Failure } from '@mergexo/core';
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

/** For consumers: they wait for Redis to come back, however long it takes. */
export function consumerConnection(target: RedisTarget) {
  return { ...target, retryStrategy, maxRetriesPerRequest: null };
}

/** For producers: they fail at once during an outage; SQLite or the spool keeps what they wanted to send. */
export function producerConnection(target: RedisTarget) {
  return { ...target, retryStrategy, enableOfflineQueue: false, maxRetriesPerRequest: 1 };
}

export function createRedis(target: RedisTarget): Redis {
  return new Redis({ ...producerConnection(target), lazyConnect: true, disconnectTimeout: 100 });
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
