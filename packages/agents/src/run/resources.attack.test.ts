import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { aRequest, createTemporaryDirectory } from '@mergexo/testkit';
import { z } from 'zod';
import { type Bench, createBench } from '../testing/bench.js';
import { compileAttack, withCompiler } from '../testing/compile-attack.js';
import { findByCommand } from '../testing/processes.js';
import { describeIn, findSandboxes } from '../testing/sandboxes.js';
import { runRepositoryProgram } from './run-repository-program.js';

const path = process.env['PATH'] ?? '';
const { all, bubblewrap } = await findSandboxes({ PATH: path });
const unconfined = all.filter((under) => !bubblewrap.includes(under));
const MB = 1_000_000;
const SMALL = { memoryBytes: 200 * MB, processes: 60, openFiles: 64, diskBytes: 20 * MB };

const MEMORY = /^the agent used more than 191 MiB of memory; .*`agent\.max_memory_mb`/;
const PROCESSES = /^the agent started more than 60 processes and threads; .*`agent\.max_processes`/;
const FILES = /^the agent opened 64 files in one process; .*`agent\.max_open_files`/;
const DISK = /^the agent used more than 19 MiB of disk space; .*`agent\.max_disk_mb`/;

/** Starts the compiled program `times` times, each in its own session. */
const run = (attack: string, count: number, times = 1): string =>
  `for (let i = 0; i < ${times}; i += 1) spawn('./attack', ['${attack}', '${count}'], { stdio: 'ignore', detached: true });`;

/** Grows by `step` megabytes per `ms`, up to 500 MB. */
const grow = (step: number, ms: number): string =>
  `const held = []; setInterval(() => { if (held.length * ${step} < 500) held.push(Buffer.alloc(${step} * 1e6, 1)); }, ${ms});`;

const write = (where: string, files: number, megabytes: number): string =>
  `for (let i = 0; i < ${files}; i += 1) fs.writeFileSync(${where} + '/file' + i, Buffer.alloc(${megabytes} * 1e6, 1));`;

const compiled = createTemporaryDirectory();
beforeAll(() => void compileAttack(compiled.path));
afterAll(() => compiled.remove());

function createSmallBench(sandbox: Bench['host']['sandbox']): Bench {
  const bench = createBench(sandbox, process.env);
  bench.host.resources = SMALL;
  copyFileSync(join(compiled.path, 'attack'), join(bench.cwd, 'attack'));
  return bench;
}

function removeBench(bench: Bench): void {
  expect(findByCommand(bench.cwd)).toEqual([]);
  bench.remove();
}

function useSmallBench(sandbox: Bench['host']['sandbox']): () => Bench {
  let bench: Bench;
  beforeEach(() => {
    bench = createSmallBench(sandbox);
  });
  afterEach(() => removeBench(bench));
  return () => bench;
}

/** Runs the attack, and returns how its turn ended. The agent never exits on its own. */
const attack = (bench: Bench, lines: string) =>
  bench
    .agent(`${lines}\nforever();`, { wallMs: 20_000 })
    .runTurn(aRequest('bugfix_start'), bench.turnContext());

const failed = (message: RegExp) => ({
  kind: 'failed',
  failure: 'resource-limit',
  message: expect.stringMatching(message),
});

describeIn(withCompiler(bubblewrap, path), 'an agent in $name that exceeds a limit', ({ sandbox }) => {
  const bench = useSmallBench(sandbox);

  it.each([
    ['memory in one process', grow(20, 10), MEMORY],
    ['memory slowly', grow(5, 20), MEMORY],
    ['memory in one child', run('private', 300), MEMORY],
    ['memory in six children, each below the limit', run('private', 60, 6), MEMORY],
    ['memory in shared pages', run('shared', 300), MEMORY],
    ['memory in a process that hides from its user', run('hidden', 300), MEMORY],
    ['memory in files without a name', run('memfd', 300), MEMORY],
    ['memory in page tables', run('tables', 300), MEMORY],
    [
      'memory while it uses every core',
      `${run('private', 300)} spawn('sh', ['-c', 'while :; do :; done & while :; do :; done']);`,
      MEMORY,
    ],
    [
      'memory after it stops the first process',
      `attempt(() => process.kill(1, 'SIGSTOP')); ${run('private', 300)}`,
      MEMORY,
    ],
    ['processes', run('forks', 150), PROCESSES],
    ['processes that leave their parents, sessions and environment', run('daemons', 150), PROCESSES],
    ['processes that have ended but still count', run('zombies', 150), PROCESSES],
    ['threads', run('threads', 150), PROCESSES],
    ['open files', run('files', 300), FILES],
    ['disk in files of the slot', write('process.cwd()', 30, 1), DISK],
    ['disk in files of the home', write('process.env.HOME', 30, 1), DISK],
    ['disk in temporary files', write('process.env.TMPDIR', 30, 1), DISK],
    ['disk in hundreds of small files', write('process.cwd()', 600, 0.05), DISK],
    ['disk in files that it removed but keeps open', run('unlinked', 40), DISK],
    [
      'disk in a deep directory',
      `for (let i = 0; i < 30; i += 1) { fs.mkdirSync('d'); process.chdir('d'); ${write("'.'", 1, 1)} }`,
      DISK,
    ],
  ])('fails, and the failure names the limit: %s', async (_name, lines, message) => {
    expect(await attack(bench(), lines)).toMatchObject(failed(message));
  });
});

describeIn(bubblewrap, 'the turn after an agent in $name filled its home', ({ sandbox }) => {
  const bench = useSmallBench(sandbox);

  it.each([
    ['many files', write('process.env.HOME', 30, 1)],
    [
      'files in a locked directory',
      `const dir = process.env.HOME + '/d'; fs.mkdirSync(dir); ${write('dir', 3, 9)} fs.chmodSync(dir, 0o500);`,
    ],
  ])('gets an answer in spite of %s', async (_name, lines) => {
    expect(await attack(bench(), lines)).toMatchObject(failed(DISK));
    const next = bench().agent('read(); answer({ ok: true });');
    const run = await next.runTurn(aRequest('bugfix_start'), bench().turnContext());
    expect(run).toMatchObject({ kind: 'answered' });
  });
});

describeIn(withCompiler(unconfined, path), 'an agent in $name that exceeds a limit', ({ sandbox }) => {
  const bench = useSmallBench(sandbox);

  it.each([
    ['memory in one process', grow(20, 10), MEMORY],
    ['memory in six children, each below the limit', run('private', 60, 6), MEMORY],
    ['memory in a process that hides from its user', run('hidden', 300), MEMORY],
    ['processes', run('forks', 150), PROCESSES],
    ['threads', run('threads', 150), PROCESSES],
    ['open files', run('files', 300), FILES],
    ['disk in files of the slot', write('process.cwd()', 30, 1), DISK],
    ['disk in files that it removed but keeps open', run('unlinked', 40), DISK],
  ])('fails, and the failure names the limit: %s', async (_name, lines, message) => {
    expect(await attack(bench(), lines)).toMatchObject(failed(message));
  });
});

describeIn(withCompiler(bubblewrap, path), 'an agent in $name', ({ sandbox }) => {
  const bench = useSmallBench(sandbox);

  it.each([
    ['appends to one huge file', `for (;;) fs.appendFileSync('huge', Buffer.alloc(1e6, 1));`],
    [
      'lets another program write one huge file',
      `spawn('dd', ['if=/dev/zero', 'of=huge', 'bs=1M', 'count=50']);`,
    ],
    [
      'writes one huge file in its home',
      `const file = process.env.HOME + '/huge'; for (;;) fs.appendFileSync(file, Buffer.alloc(1e6, 1));`,
    ],
  ])('fails if it %s', async (_name, lines) => {
    expect(await attack(bench(), lines)).toMatchObject(failed(DISK));
  });

  it('leaves no core dump when it crashes', async () => {
    const ended = await attack(bench(), `process.kill(process.pid, 'SIGSEGV');`);
    expect(ended).toMatchObject({ kind: 'failed', failure: 'killed' });
    expect(readdirSync(bench().cwd)).toEqual(['attack']);
  });

  it('may use a System V memory segment as small as PostgreSQL’s, and files within the limits', async () => {
    const agent = bench().agent(
      `${write('process.cwd()', 1, 10)} answer({ found: execFileSync('./attack', ['sysv', '64'], { encoding: 'utf8' }) });`,
    );
    expect(await agent.runTurn(aRequest('bugfix_start'), bench().turnContext())).toMatchObject({
      kind: 'answered',
      output: { found: '0\n' },
    });
  });
});

/** Expressions that an agent evaluates, and the result that each must have. */
const REFUSED: readonly [string, string, RegExp][] = [
  [
    'make a sparse file of 1 GB',
    `attempt(() => { fs.writeFileSync('s', ''); fs.truncateSync('s', 1e9); return fs.statSync('s').size; })`,
    /EFBIG/,
  ],
  [
    'fill /dev/shm',
    `attempt(() => fs.writeFileSync('/dev/shm/x', Buffer.alloc(15e6)) ?? attempt(() => { for (let i = 0; i < 9; i += 1) fs.writeFileSync('/dev/shm/' + i, Buffer.alloc(15e6)); }))`,
    /ENOSPC/,
  ],
  ['signal the worker, which measures it', `attempt(() => process.kill(${process.pid}, 0))`, /ESRCH/],
  ['write to /dev, which is in memory', `attempt(() => fs.writeFileSync('/dev/x', 'x'))`, /EROFS/],
  ['write to /, which is in memory', `attempt(() => fs.writeFileSync('/x', 'x'))`, /EROFS/],
  ['take 1 MB of System V memory, which belongs to no process', `shell('./attack sysv 1024')`, /^1$/],
  ['take memory in System V messages, which belongs to no process', `shell('./attack messages')`, /^1$/],
  ['raise the limit on open files', `shell('./attack raise 7')`, /^1$/],
  ['raise the limit on the file size', `shell('./attack raise 1')`, /^1$/],
  ['allow core dumps', `shell('./attack raise 4')`, /^1$/],
  ['raise the limit on processes', `shell('./attack raise 6')`, /^1$/],
  ['raise the limit on open files with a shell', `shell('ulimit -n 65 2>&1; ulimit -n')`, /64$/],
  [
    'raise its priority',
    `shell('before=$(nice); renice -n -5 -p $$ >/dev/null 2>&1; test $(nice) -ge $before && echo kept')`,
    /^kept$/,
  ],
  ['run with the priority of the worker', `shell('nice; chrt -p $$ 2>&1')`, /^19\n[^\n]*SCHED_IDLE/],
  ['return to that priority', `shell('chrt --other -p 0 $$ 2>&1 || echo refused')`, /refused$/],
  ['take real-time priority', `shell('chrt -f 1 true 2>&1 || echo refused')`, /refused$/],
  [
    'protect itself from the kernel when memory runs out',
    `shell('echo -900 > /proc/self/oom_score_adj; cat /proc/self/oom_score_adj')`,
    /^(0|500)$/,
  ],
];

describeIn(withCompiler(bubblewrap, path), 'an agent in $name', ({ sandbox }) => {
  let found: string[] = [];
  beforeAll(async () => {
    const bench = createSmallBench(sandbox);
    const expressions = REFUSED.map(([, expression]) => `String(${expression})`);
    const agent = bench.agent(
      `const shell = (command) => spawnSync('sh', ['-c', command], { encoding: 'utf8' }).stdout.trim();
       answer([${expressions.join(',\n')}]);`,
    );
    const ended = await agent.runTurn(aRequest('bugfix_start'), bench.turnContext());
    if (ended.kind === 'failed') throw new Error(ended.message);
    found = z.array(z.string()).parse(ended.output);
    removeBench(bench);
  });

  it.each(REFUSED.map(([name, , expected], index) => ({ name, expected, index })))(
    'cannot $name',
    ({ expected, index }) => {
      expect(found[index]).toMatch(expected);
    },
  );
});

describeIn(withCompiler(bubblewrap, path), 'required tests in $name that exceed a limit', ({ sandbox }) => {
  const bench = useSmallBench(sandbox);

  it.each([
    ['memory', './attack private 300', /^used more than 191 MiB of memory/],
    ['memory in the background', './attack private 300 & exit 0 & wait', /^used more than 191 MiB of memory/],
    ['processes', './attack forks 150', /^started more than 60 processes/],
    ['open files', './attack files 300', /^opened 64 files/],
    [
      'disk',
      'for i in 1 2 3; do dd if=/dev/zero of=f$i bs=1M count=10 2>/dev/null; done; sleep 20',
      /^used more than 19 MiB of disk/,
    ],
    ['disk in one file', 'dd if=/dev/zero of=f bs=1M count=50', /^used more than 19 MiB of disk/],
  ])('fail, and the failure names the limit: %s', async (_name, text, reason) => {
    const { cwd, home, host } = bench();
    writeFileSync(join(cwd, 'test.sh'), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    const signal = new AbortController().signal;
    const job = { path: 'test.sh', cwd, home, timeoutMs: 20_000, signal };
    expect(await runRepositoryProgram(host, job)).toMatchObject({
      kind: 'exceeded',
      reason: expect.stringMatching(reason),
    });
  });
});
