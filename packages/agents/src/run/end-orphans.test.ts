import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { endTree, referTo } from '@mergexo/process';
import { aRequest, eventually, type Program, startProgram } from '@mergexo/testkit';
import { buildBubblewrapArgv } from '../sandbox/bubblewrap.js';
import { buildEnvironment } from '../sandbox/environment.js';
import { type Bench, createBench } from '../testing/bench.js';
import { findByCommand } from '../testing/processes.js';
import { describeIn, findSandboxes } from '../testing/sandboxes.js';
import { endOrphans } from './end-orphans.js';
import { listRuns, openRun } from './run-record.js';

const { all, bubblewrap } = await findSandboxes(process.env);
const PARENT = fileURLToPath(new URL('../../dist/testing/parent.js', import.meta.url));

describeIn(all, 'orphans of a killed worker in $name', ({ sandbox }) => {
  let bench: Bench;
  beforeEach(() => {
    bench = createBench(sandbox, process.env);
  });
  afterEach(() => bench.remove());

  async function startTurn(): Promise<Program> {
    const { host, cwd, home } = bench;
    const argv = bench.script(`
      spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)', process.cwd()],
        { detached: true, stdio: 'ignore' }).unref();
      process.on('SIGTERM', () => {});
      fs.writeFileSync('running', '');
      forever();`);
    const job = { request: aRequest('bugfix_start'), host, argv, limits: { wallMs: 60_000 }, cwd, home };
    const parent = startProgram(PARENT, [JSON.stringify(job)]);
    await eventually(() => {
      if (!existsSync(join(cwd, 'running'))) throw new Error(`not running: ${parent.output()}`);
    });
    return parent;
  }

  it('are ended once, before their slot is used again', async () => {
    const parent = await startTurn();
    const [run] = readdirSync(bench.runsDir);
    expect(findByCommand(bench.cwd).length).toBeGreaterThan(0);
    parent.kill('SIGKILL');
    await parent.exited;
    expect(await endOrphans(bench.runsDir)).toEqual({ ended: [run], stuck: [] });
    expect(findByCommand(bench.cwd)).toEqual([]);
    expect(findByCommand(bench.script('').slice(-1).join('').replace('-2', '-1'))).toEqual([]);
    expect(readdirSync(bench.runsDir)).toEqual([]);
    expect(await endOrphans(bench.runsDir)).toEqual({ ended: [], stuck: [] });
  });

  it('are not ended while their worker is alive', async () => {
    const parent = await startTurn();
    expect(await endOrphans(bench.runsDir)).toEqual({ ended: [], stuck: [] });
    expect(findByCommand(bench.cwd).length).toBeGreaterThan(0);
    parent.kill('SIGKILL');
    await parent.exited;
    await endOrphans(bench.runsDir);
    expect(findByCommand(bench.cwd)).toEqual([]);
  });

  it('are found by their marker if the worker died before it recorded the pid', async () => {
    const parent = await startTurn();
    const [run] = listRuns(bench.runsDir);
    const path = join(run?.directory ?? '', 'run.json');
    parent.kill('SIGKILL');
    await parent.exited;
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), leader: null }));
    await endOrphans(bench.runsDir);
    expect(findByCommand(bench.cwd)).toEqual([]);
  });
});

describeIn(bubblewrap, 'a process in $name', ({ sandbox }) => {
  it('is found and ended although only bubblewrap has the marker, and bubblewrap outlived its worker', async () => {
    const bench = createBench(sandbox, process.env);
    const { cwd, home, host } = bench;
    const run = openRun(bench.runsDir);
    const [node, script] = bench.script(`
      spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)', process.cwd()],
        { detached: true, stdio: 'ignore' }).unref();
      fs.writeFileSync('running', String(process.env.MERGEXO_RUN_ID));
      forever();`);
    const readOnlyPaths = [...host.readOnlyPaths, script ?? ''];
    const view = { cwd, home, tmp: run.tmp, readOnlyPaths, network: false };
    const program = sandbox.kind === 'bwrap' ? sandbox.program : '';
    // Without this option, bubblewrap lives on, as it does if its worker dies before the option takes effect.
    const [file, ...args] = buildBubblewrapArgv(program, view, [node, script ?? '']).filter(
      (word) => word !== '--die-with-parent',
    );
    const env = buildEnvironment({ env: process.env, passEnv: [], home, tmp: '/tmp', runId: run.runId });
    const child = spawn(file ?? '', args, { env, detached: true, stdio: 'ignore' });
    const ended = once(child, 'exit');
    try {
      await eventually(() => expect(readFileSync(join(cwd, 'running'), 'utf8')).toBe('undefined'));
      expect(findByCommand(cwd).length).toBeGreaterThan(1);
      run.abandon();
      expect(await endOrphans(bench.runsDir)).toEqual({ ended: [run.runId], stuck: [] });
      expect(findByCommand(cwd)).toEqual([]);
    } finally {
      const leader = referTo(child.pid ?? 0);
      await endTree({ runId: run.runId, roots: leader === undefined ? [] : [leader] });
      await ended;
      bench.remove();
    }
  });
});

describe('endOrphans', () => {
  let bench: Bench;
  beforeEach(() => {
    bench = createBench({ kind: 'none' }, process.env);
  });
  afterEach(() => bench.remove());

  it('does not kill a new process that has the pid of a dead one', async () => {
    const unrelated = startProgram(bench.script('forever();').slice(-1).join(''));
    const directory = join(bench.runsDir, 'a'.repeat(32));
    mkdirSync(directory);
    const gone = { pid: 2 ** 22 + 1, identity: 'long ago' };
    const leader = { pid: unrelated.pid, identity: 'long ago' };
    writeFileSync(join(directory, 'run.json'), JSON.stringify({ owner: gone, leader }));
    expect(await endOrphans(bench.runsDir)).toEqual({ ended: ['a'.repeat(32)], stuck: [] });
    expect(referTo(unrelated.pid)).toBeDefined();
    unrelated.kill('SIGKILL');
    await unrelated.exited;
  });

  it.each([['nothing'], ['{'], ['{}'], ['[]']])(
    'removes a run if the content of its record is %s',
    async (text) => {
      const directory = join(bench.runsDir, 'b'.repeat(32));
      mkdirSync(join(directory, 'tmp'), { recursive: true });
      if (text !== 'nothing') writeFileSync(join(directory, 'run.json'), text);
      expect(await endOrphans(bench.runsDir)).toEqual({ ended: ['b'.repeat(32)], stuck: [] });
      expect(readdirSync(bench.runsDir)).toEqual([]);
    },
  );

  it('retries a run that its living worker could not end', async () => {
    const run = openRun(bench.runsDir);
    expect(await endOrphans(bench.runsDir)).toEqual({ ended: [], stuck: [] });
    run.abandon();
    expect(await endOrphans(bench.runsDir)).toEqual({ ended: [run.runId], stuck: [] });
    expect(readdirSync(bench.runsDir)).toEqual([]);
  });

  it('removes a run that a killed worker never started, but not a run that a living worker is creating', async () => {
    const us = referTo(process.pid);
    const records = [JSON.stringify({ owner: { pid: 2 ** 22 + 1, identity: 'x' }, leader: null })];
    records.push(JSON.stringify({ owner: us, leader: null }), '');
    for (const [index, record] of records.entries()) {
      const directory = join(bench.runsDir, `${String(index).repeat(32)}.new`);
      mkdirSync(directory);
      if (record !== '') writeFileSync(join(directory, 'run.json'), record);
    }
    await endOrphans(bench.runsDir);
    expect(readdirSync(bench.runsDir)).toEqual(['1', '2'].map((name) => `${name.repeat(32)}.new`));
  });

  it('does not assume that the worker is dead if the record is unreadable', async () => {
    const directory = join(bench.runsDir, 'c'.repeat(32));
    mkdirSync(join(directory, 'run.json'), { recursive: true });
    await expect(endOrphans(bench.runsDir)).rejects.toThrow('EISDIR');
    expect(readdirSync(bench.runsDir)).toEqual(['c'.repeat(32)]);
  });

  it('fails if it cannot list the runs', async () => {
    await expect(endOrphans(join(bench.script('').slice(-1).join(''), 'runs'))).rejects.toThrow('ENOTDIR');
  });

  it('ignores other files, and succeeds if there are no runs', async () => {
    writeFileSync(join(bench.runsDir, 'notes.txt'), 'mine');
    expect(await endOrphans(bench.runsDir)).toEqual({ ended: [], stuck: [] });
    expect(readdirSync(bench.runsDir)).toEqual(['notes.txt']);
    expect(await endOrphans(join(bench.dir, 'never-made'))).toEqual({ ended: [], stuck: [] });
  });
});
