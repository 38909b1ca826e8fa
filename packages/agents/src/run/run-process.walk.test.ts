import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { aRequest, patiently, startProgram } from '@mergexo/testkit';
import { type Bench, createBench } from '../testing/bench.js';
import { findByCommand } from '../testing/processes.js';
import { describeIn, findSandboxes } from '../testing/sandboxes.js';
import type { AgentEvent, AgentRun } from '../turn/agent.js';
import { endOrphans } from './end-orphans.js';

const { all } = await findSandboxes(process.env);
const PARENT = fileURLToPath(new URL('../../dist/testing/parent.js', import.meta.url));
const MEGABYTE = 1024 * 1024;

describeIn(all, 'a turn in $name', ({ sandbox }) => {
  let bench: Bench;
  beforeEach(() => {
    bench = createBench(sandbox, process.env);
  });
  afterEach(() => {
    expect(findByCommand(bench.dir)).toEqual([]);
    expect(readdirSync(bench.runsDir)).toEqual([]);
    bench.remove();
  });

  const request = aRequest('bugfix_start');

  /** Stops the turn once the agent is ready, and measures how long the agent takes to end. */
  async function stopWhenReady(lines: string): Promise<{ run: AgentRun; tookMs: number }> {
    const stop = new AbortController();
    let stopped = 0;
    const onEvent = (event: AgentEvent): void => {
      if (event.kind !== 'log' || !event.text.includes('ready')) return;
      stopped = performance.now();
      stop.abort('taken over');
    };
    const context = bench.turnContext({ signal: stop.signal, onEvent });
    const run = await bench.agent(`${lines}; forever(); console.error('ready');`).runTurn(request, context);
    return { run, tookMs: performance.now() - stopped };
  }

  it('ends when the agent is silent for too long, even after some output', async () => {
    const agent = bench.agent(
      `let beats = 0; setInterval(() => { if (beats++ < 8) console.error('beat'); }, 200);`,
      { silenceMs: 1_200 },
    );
    const started = performance.now();
    expect(await agent.runTurn(request, bench.turnContext())).toMatchObject({
      kind: 'failed',
      failure: 'silent',
    });
    expect(performance.now() - started).toBeGreaterThan(2_500);
  });

  it('ends at its time limit, even if the agent still prints output', async () => {
    const agent = bench.agent(`setInterval(() => console.error('still here'), 20);`, {
      wallMs: 1_500,
      silenceMs: 1_400,
    });
    const run = await agent.runTurn(request, bench.turnContext());
    expect(run).toMatchObject({
      failure: 'timed-out',
      message: expect.stringContaining('its log ends with: still here'),
    });
  });

  it('sends SIGTERM first, so that the agent can clean up', async () => {
    await stopWhenReady(`process.on('SIGTERM', () => { fs.writeFileSync('tidied', ''); process.exit(0); })`);
    expect(readdirSync(bench.cwd)).toEqual(['tidied']);
  });

  const DEAF = `for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {})`;

  it('kills a stopped agent that ignores SIGTERM soon, with its children', async () => {
    // A stopped agent must not get the grace period of an agent that exceeds a limit.
    bench.host.graceMs = 60_000;
    const child = `['-c', "trap '' TERM; while :; do sleep 0.1; done", ${JSON.stringify(bench.dir)}]`;
    const parent = `${DEAF}; for (const detached of [false, true]) spawn('/bin/sh', ${child}, { detached })`;
    const { run, tookMs } = await stopWhenReady(parent);
    expect(findByCommand(bench.dir)).toEqual([]);
    expect(run).toMatchObject({ failure: 'killed', message: 'the turn was stopped: taken over' });
    expect(tookMs).toBeLessThan(patiently(2_000));
  });

  it('gives an agent that exceeds its time limit the whole grace period', async () => {
    bench.host.graceMs = 60_000;
    const tidy = `setTimeout(() => { fs.writeFileSync('tidied', ''); process.exit(0); }, 1_000)`;
    const agent = bench.agent(`process.on('SIGTERM', () => ${tidy}); forever();`, { wallMs: 1_500 });
    expect(await agent.runTurn(request, bench.turnContext())).toMatchObject({ failure: 'timed-out' });
    expect(readdirSync(bench.cwd)).toEqual(['tidied']);
  });

  it('kills an agent that exceeds its time limit and ignores SIGTERM', async () => {
    const agent = bench.agent(`${DEAF}; forever();`, { wallMs: 1_500 });
    expect(await agent.runTurn(request, bench.turnContext())).toMatchObject({ failure: 'timed-out' });
  });

  it('does not accept an answer after it was stopped', async () => {
    const { run } = await stopWhenReady(`process.on('SIGTERM', () => { answer({}); process.exit(0); })`);
    expect(run).toMatchObject({ failure: 'killed' });
  });

  it('does not start if it was already stopped', async () => {
    const signal = AbortSignal.abort('closed');
    const run = await bench
      .agent(`fs.writeFileSync('begun', '');`)
      .runTurn(request, bench.turnContext({ signal }));
    expect(run).toMatchObject({ failure: 'killed', message: 'the turn was stopped: closed' });
    expect(readdirSync(bench.cwd)).toEqual([]);
  });

  it('ends its processes even if MergeXO fails, and keeps its record until the processes are gone', async () => {
    const onEvent = (event: AgentEvent): void => {
      if (event.kind === 'started') throw new Error('the disk is full');
    };
    const run = bench.agent('forever();').runTurn(request, bench.turnContext({ onEvent }));
    await expect(run).rejects.toThrow('the disk is full');
    expect(findByCommand(bench.dir)).toEqual([]);
    expect(await endOrphans(bench.runsDir)).toEqual({ ended: [expect.any(String)], stuck: [] });
  });

  it.each<[string, string, object]>([
    [
      'a line of 300 MB as the answer',
      `const part = 'x'.repeat(1024 * 1024);
       const more = (left) => { if (left > 0) process.stdout.write(part, () => more(left - 1)); };
       more(300);`,
      {
        kind: 'failed',
        failure: 'invalid-output',
        message: 'the agent printed more than 10 MB as its answer',
      },
    ],
    [
      '300 MB on standard error',
      `const part = Buffer.alloc(1024 * 1024, 'y');
       for (let i = 0; i < 300; i += 1) fs.writeSync(2, part);
       answer({ fine: true });`,
      { kind: 'answered', output: { fine: true } },
    ],
  ])('uses little memory for %s', async (_name, lines, expected) => {
    const { host, cwd, home } = bench;
    const job = { request, host, argv: bench.script(lines), limits: { wallMs: 60_000 }, cwd, home };
    const parent = startProgram(PARENT, [JSON.stringify(job)]);
    expect(await parent.exited).toBe(0);
    const { run, grown } = JSON.parse(parent.output());
    expect(run).toMatchObject(expected);
    expect(grown / MEGABYTE).toBeLessThan(50);
  });
});
