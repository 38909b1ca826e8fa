import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Bench, createBench } from '../testing/bench.js';
import { findByCommand } from '../testing/processes.js';
import { describeIn, findSandboxes } from '../testing/sandboxes.js';
import { runRepositoryProgram } from './run-repository-program.js';

const { all, bubblewrap } = await findSandboxes(process.env);

describeIn(all, 'required tests in $name', ({ sandbox }) => {
  let bench: Bench;
  beforeEach(() => {
    bench = createBench(sandbox, {
      ...process.env,
      GITHUB_TOKEN: 'canary',
      MODEL_KEY: 'canary-of-the-model',
    });
    bench.host.passEnv = ['MODEL_KEY'];
    mkdirSync(join(bench.cwd, 'scripts'));
  });
  afterEach(() => {
    expect(findByCommand(bench.cwd)).toEqual([]);
    bench.remove();
  });

  const run = (text: string, job: Partial<Parameters<typeof runRepositoryProgram>[1]> = {}) => {
    writeFileSync(join(bench.cwd, 'scripts/test.sh'), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    const { cwd, home, host } = bench;
    const signal = new AbortController().signal;
    return runRepositoryProgram(host, {
      path: 'scripts/test.sh',
      cwd,
      home,
      timeoutMs: 20_000,
      signal,
      ...job,
    });
  };

  it('run in the slot, and pass if they exit with code 0', async () => {
    expect(await run(`test "$PWD" = "${bench.cwd}" && test -x scripts/test.sh`)).toEqual({ kind: 'passed' });
  });

  it('fail with the output from both standard output and standard error', async () => {
    expect(await run('echo one; echo two >&2; exit 2')).toEqual({
      kind: 'failed',
      output: expect.stringMatching(/one[\s\S]*two|two[\s\S]*one/),
    });
    expect(await run('exit 4')).toEqual({ kind: 'failed', output: 'no output, exit code 4' });
  });

  it('report each line of output when it is complete', async () => {
    const lines: string[] = [];
    await run(`printf 'one\\ntw'; sleep 0.1; printf 'o\\n\\nthree'; exit 2`, {
      onLine: (line) => void lines.push(line),
    });
    expect(lines).toEqual(['one', 'two', 'three']);
  });

  it('report the last 12,000 characters of a long output', async () => {
    const result = await run('i=0; while [ $i -lt 20000 ]; do echo "line ü $i"; i=$((i+1)); done; exit 1');
    if (result.kind !== 'failed') throw new Error(result.kind);
    expect(result.output.length).toBeLessThanOrEqual(12_000);
    expect(result.output.length).toBeGreaterThan(11_900);
    expect(result.output.endsWith('line ü 19999')).toBe(true);
  });

  it('end at their time limit, with all processes that they started', async () => {
    const result = await run(`echo started; sleep 60 & (setsid sleep 61 &); wait`, {
      timeoutMs: 1_500,
    });
    expect(result).toEqual({ kind: 'timed-out', output: 'started\n' });
  });

  it('stop when the turn is stopped', async () => {
    const signal = AbortSignal.timeout(300);
    expect(await run('sleep 60', { signal })).toMatchObject({ kind: 'aborted' });
  });

  it('cannot read any secret', async () => {
    expect(await run('env; exit 1')).toEqual({
      kind: 'failed',
      output: expect.not.stringContaining('canary'),
    });
  });

  it('omit secrets and colour codes from the quoted output', async () => {
    const result = await run(
      `printf 'key \\033[31mcanary-of\\033[0m-the-model ghp_${'a'.repeat(36)}'; exit 1`,
    );
    expect(result).toEqual({ kind: 'failed', output: 'key [redacted] [redacted]' });
  });

  it('run in a slot that is reached through a symbolic link', async () => {
    const link = join(bench.dir, 'link');
    symlinkSync(bench.cwd, link);
    expect(await run('cd "$(dirname "$0")" && touch written', { cwd: link })).toEqual({ kind: 'passed' });
    expect(existsSync(join(bench.cwd, 'scripts/written'))).toBe(true);
  });

  it.each<[string, (cwd: string) => string, RegExp]>([
    ['a missing file', () => 'scripts/none.sh', /does not exist/],
    ['a directory', () => 'scripts', /not an executable file/],
    ['an absolute path', () => '/bin/true', /not inside the repository/],
    [
      'a path that leads out of the repository',
      () => '../../../../../../bin/true',
      /not inside the repository/,
    ],
    [
      'a link to a program outside the repository',
      (cwd) => prepareWith(() => symlinkSync('/bin/true', join(cwd, 'x'))),
      /symbolic link/,
    ],
    [
      'a program in a linked directory',
      (cwd) => prepareWith(() => symlinkSync('/bin', join(cwd, 'x')), 'x/true'),
      /symbolic/,
    ],
    ['a dangling link', (cwd) => prepareWith(() => symlinkSync('/nowhere', join(cwd, 'x'))), /not exist/],
    [
      'a file that is not executable',
      (cwd) => prepareWith(() => writeFileSync(join(cwd, 'x'), 'exit 0')),
      /not an executable/,
    ],
  ])('are not started from %s', async (_name, prepare, reason) => {
    const path = prepare(bench.cwd);
    expect(await run('exit 0', { path })).toEqual({ kind: 'absent', reason: expect.stringMatching(reason) });
  });
});

describeIn(bubblewrap, 'required tests in $name without a network', ({ sandbox }) => {
  it('are not reported as failed if the sandbox cannot be created', async () => {
    const bench = createBench(sandbox, process.env);
    const { host, cwd, home } = bench;
    writeFileSync(join(cwd, 'test'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const signal = new AbortController().signal;
    const readOnlyPaths = [join(bench.dir, 'vanished-mirror')];
    const job = { path: 'test', cwd, home, timeoutMs: 20_000, signal, readOnlyPaths };
    expect(await runRepositoryProgram(host, job)).toEqual({
      kind: 'aborted',
      reason: expect.stringMatching(/could not create the sandbox: bwrap: .*vanished-mirror/),
    });
    bench.remove();
  });

  it('can still use loopback', async () => {
    const bench = createBench(sandbox, process.env);
    const { host, cwd, home } = bench;
    const test = `#!${process.execPath}
      const server = require('net').createServer((socket) => socket.end()).listen(0, '127.0.0.1', () =>
        require('net').connect(server.address().port, '127.0.0.1').once('connect', () => process.exit(0)));`;
    writeFileSync(join(cwd, 'test'), test, { mode: 0o755 });
    const signal = new AbortController().signal;
    const job = { path: 'test', cwd, home, timeoutMs: 20_000, signal, network: 'none' as const };
    expect(await runRepositoryProgram(host, job)).toEqual({ kind: 'passed' });
    bench.remove();
  });
});

function prepareWith(prepare: () => void, path = 'x'): string {
  prepare();
  return path;
}
