import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Program, startProgram, untilPrinted } from '@mergexo/testkit';
import { startDashboard } from '../fleet/dashboard-stage.js';
import { ROOT } from '../fleet/fleet.js';
import { readEvents, type StreamEvent } from '../fleet/read-events.js';
import { createWalk, type Walk } from '../fleet/walk.js';

const STEPS = 8;

/** Follows a scripted agent on real processes, in the terminal and in the dashboard. */
describe('the steps of an agent', () => {
  let walk: Walk;
  let programs: Program[];
  beforeEach(() => {
    programs = [];
  });
  afterEach(async () => {
    for (const program of programs) program.kill('SIGKILL');
    await Promise.all(programs.map(({ exited }) => exited));
    await walk.closeAndCheck();
  });

  const configPath = (): string => join(walk.dir, 'mergexo.toml');
  const follow = (...args: string[]): Program => {
    const cli = join(ROOT, 'apps/cli/bin/mergexo.js');
    const program = startProgram(cli, ['logs', ...args, '--config', configPath()]);
    programs.push(program);
    return program;
  };
  /** Starts an issue whose agent reports steps and then waits for the returned file. */
  const openIssue = async (): Promise<{ issue: number; go: string }> => {
    const go = join(walk.dir, 'go');
    const issue = await walk.openIssue('agent:bugfix', {
      steps: STEPS,
      waitFor: go,
      files: { 'fix.txt': 'fixed\n' },
    });
    await walk.until(() => expect(walk.runOf(issue)).toBeDefined());
    return { issue, go };
  };
  const turnOf = (issue: number): string => {
    const run = walk.runOf(issue);
    const [turn] = run === undefined ? [] : walk.withState((state) => state.listTurnsOfRun(run.id));
    return turn?.turnKey ?? '';
  };
  const untilDone = (issue: number) =>
    walk.until(() => expect(walk.runOf(issue)?.status).toBe('awaiting_feedback'));

  it('appear in `logs -f` and in the dashboard while the agent works', async () => {
    const tests = '#!/bin/sh\necho "42 tests passed"\n';
    walk = await createWalk({ repoKeys: 'required_tests = "test.sh"', files: { 'test.sh': tests } });
    appendFileSync(configPath(), '[dashboard]\nport = 0\n');
    walk.startPoller();
    walk.startWorker();
    const { program: dashboard, url } = await startDashboard(configPath());
    programs.push(dashboard);
    const { issue, go } = await openIssue();
    const all = follow('-f');
    const one = follow(String(issue), '-f', '--json');

    await walk.until(() => expect(turnOf(issue)).not.toBe(''));
    const base = `${url}turns/${turnOf(issue)}`;
    const isStep = (text: string) => (event: StreamEvent) =>
      event.event === 'step' && String(event.data).includes(text);
    const events = await readEvents(`${base}/events`, isStep(`step ${STEPS} of`));
    await untilPrinted(all, `step ${STEPS} of attempt 1`);
    await untilPrinted(one, `step ${STEPS} of attempt 1`);
    expect(walk.runOf(issue)?.status).toBe('running');
    expect(await (await fetch(base)).text()).toContain(`step ${STEPS} of attempt 1`);
    const ids = events.filter(({ event }) => event === 'step').map(({ id }) => id ?? '');
    const later = await readEvents(`${base}/events`, isStep(`step ${STEPS} of`), {
      'last-event-id': ids.at(-3) ?? '',
    });
    expect(later.filter(({ event }) => event === 'step').map(({ id }) => id)).toEqual(ids.slice(-2));

    writeFileSync(go, '');
    await untilDone(issue);
    for (const program of [all, one]) {
      await untilPrinted(program, 'test.sh passed');
      program.kill('SIGINT');
      expect(await program.exited).toBe(0);
    }
    const lines = one.output().trim().split('\n');
    const steps = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
    const own = steps.filter(({ text }) => String(text).startsWith('step '));
    expect(own.map(({ text }) => text)).toEqual(
      Array.from({ length: STEPS }, (_, index) => `step ${index + 1} of attempt 1`),
    );
    expect(own[0]).toMatchObject({ repo: 'alice/app', issue, turn: turnOf(issue), attempt: 1, kind: 'run' });
    expect(all.output()).toMatch(/tests +test\.sh\n.*tests +42 tests passed\n.*tests +test\.sh passed\n/);
    expect(all.output()).toMatch(/── alice\/app#\d+ · Fix a bug · attempt 1 · turn [0-9a-f]{12}/);
    const done = await walk.runCli('logs', turnOf(issue).slice(0, 8));
    expect(done).toMatchObject({ code: 0, output: expect.stringContaining('10 tokens in, 5 out') });
  });

  it('have errors that name the next step, and an answer if there are none', async () => {
    walk = await createWalk();
    expect(await walk.runCli('logs')).toEqual({
      code: 0,
      output: 'No agent has reported a step for any turn.\n',
    });
    walk.startPoller();
    await walk.until(() => expect(walk.withState((state) => state.listRepositories())).not.toEqual([]));
    const explain = expect.stringContaining('mergexo explain 99');
    expect(await walk.runCli('logs', '99', '-f')).toMatchObject({ code: 1, output: explain });
    expect(await walk.runCli('logs', 'abcdef01')).toMatchObject({
      code: 1,
      output: expect.stringContaining('no turn abcdef01'),
    });
    expect(await walk.runCli('logs', 'what')).toMatchObject({
      code: 2,
      output: expect.stringContaining('turn key'),
    });
    expect(await walk.runCli('logs', '--since', 'noon')).toMatchObject({ code: 2 });
  });

  it('appear once each, and the turn succeeds, although the poller and the worker are killed', async () => {
    walk = await createWalk();
    const poller = walk.startPoller();
    const worker = walk.startWorker();
    const { issue, go } = await openIssue();
    const listSteps = () =>
      walk.withState((state) => state.listAgentSteps({ turnKey: turnOf(issue) }, 1_000));
    await walk.until(() => expect(listSteps().length).toBeGreaterThan(1));
    poller.kill('SIGKILL');
    await poller.exited;
    walk.startPoller();
    await walk.until(() => expect(listSteps().at(-1)?.text).toBe(`step ${STEPS} of attempt 1`));
    worker.kill('SIGKILL');
    await worker.exited;
    walk.startWorker();
    await walk.until(() => expect(listSteps().at(-1)?.text).toBe(`step ${STEPS} of attempt 2`), 90_000);
    writeFileSync(go, '');
    await untilDone(issue);
    const steps = listSteps();
    const own = steps.filter(({ text }) => text.startsWith('step '));
    expect(own.map(({ text }) => text)).toEqual(
      [1, 2].flatMap((attempt) =>
        Array.from({ length: STEPS }, (_, index) => `step ${index + 1} of attempt ${attempt}`),
      ),
    );
    expect(new Set(steps.map(({ attempt, position }) => `${attempt}-${position}`)).size).toBe(steps.length);
    expect(walk.agentCalls(issue)).toBe(2);
  });
});
