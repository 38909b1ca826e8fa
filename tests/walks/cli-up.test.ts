import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findDataDirectory } from '@mergexo/config';
import { startTwin, type Twin } from '@mergexo/github-twin';
import { NODE_ARGS } from '@mergexo/process';
import {
  createTemporaryDirectory,
  eventually,
  GiveUpWhen,
  killPrograms,
  type Program,
  startProgram,
} from '@mergexo/testkit';
import { createProcessSet } from '../browser/process-tree.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CLI = join(ROOT, 'apps/cli/bin/mergexo.js');
const POLLER = join(ROOT, 'apps/poller/dist/main.js');
const AGENT = join(ROOT, 'tests/dist/fleet/scripted-agent.js');
const REPO = 'alice/app';

type Event = { app: string; event: string; pid?: number; text: string };

/** Follows the README's steps, `init` and then `up`, with shorter intervals. */
describe('mergexo up', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let twin: Twin;
  let config: string;
  let programs: Program[];
  /** Every descendant that ever ran, for the check after each test. */
  let seen: ReturnType<typeof createProcessSet>;
  beforeAll(async () => {
    directory = createTemporaryDirectory();
    config = join(directory.path, 'mergexo.toml');
    programs = [];
    seen = createProcessSet();
    twin = await startTwin({
      seed: {
        users: [{ login: 'alice' }, { login: 'robot' }],
        repos: [{ name: REPO, permissions: { robot: 'write' }, files: { 'README.md': '# app\n' } }],
      },
      limits: { pointsPerMinute: 100_000, contentPerMinute: 10_000, contentPerHour: 10_000 },
    });
    const agent = ['--agent', 'command', '--command', process.execPath, AGENT];
    const initialised = start(CLI, ['init', '--repo', REPO, '--api-url', twin.apiUrl, '--labels', ...agent]);
    expect([await initialised.exited, initialised.output()]).toEqual([
      0,
      expect.stringContaining('agent:bugfix'),
    ]);
    set('poll_interval_seconds', '0.3');
    set('visibility_window_seconds', '1');
    set('write_spacing_seconds', '0');
    set('feedback_debounce_seconds', '0.1');
    set('sandbox', '"none"');
    set('port', '0');
  });
  afterEach(async () => {
    await killPrograms(programs);
    try {
      await untilNothingRuns();
    } finally {
      for (const row of listSurvivors()) process.kill(Number.parseInt(row, 10), 'SIGKILL');
    }
    expect(twin.control.violations()).toEqual([]);
  });
  afterAll(async () => {
    await twin.stop();
    directory.remove();
  });

  function set(key: string, value: string): void {
    const text = readFileSync(config, 'utf8');
    const changed = text.replace(new RegExp(`^(# )?${key} = .*$`, 'm'), `${key} = ${value}`);
    expect(changed).not.toBe(text);
    writeFileSync(config, changed);
  }
  function start(script: string, args: string[]): Program {
    const program = startProgram(script, [...args, '--config', config], {
      HOME: directory.path,
      GITHUB_TOKEN: twin.tokens['robot'],
      MERGEXO_REDIS_URL: '',
    });
    programs.push(program);
    return program;
  }
  const startUp = (...args: string[]): Program => start(CLI, ['up', '--json', ...args]);

  const eventsOf = (program: Program): Event[] =>
    program
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{"time"'))
      .map((line) => JSON.parse(line));
  const until = (program: Program, what: string, check: (events: Event[]) => boolean): Promise<Event[]> =>
    eventually(() => {
      recordDescendants(program.pid);
      const events = eventsOf(program);
      if (check(events)) return events;
      throw new GiveUpWhen(program.child.exitCode !== null, `no ${what} yet:\n${program.output()}`);
    }, 60_000);
  const untilReady = (program: Program, apps: string[]): Promise<Event[]> =>
    until(program, 'readiness', (events) =>
      apps.every((name) => events.some(({ app, text }) => app === name && text.startsWith('ready'))),
    );
  const openIssue = (script: object = {}): Promise<number> =>
    twin
      .as('alice')
      .openIssue(REPO, { title: 'Login broken', body: JSON.stringify(script), labels: ['agent:bugfix'] });
  const pullOf = (program: Program, issue: number): Promise<Event[]> =>
    until(program, `pull request for #${issue}`, (events) =>
      events.some(({ event, text }) => event === 'pull_opened' && text.startsWith(`${REPO}#${issue} (PR #`)),
    );

  function recordDescendants(root: number): void {
    const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((row) => row.trim().split(/\s+/).map(Number));
    const tree = new Set([root]);
    for (let size = 0; size !== tree.size; ) {
      size = tree.size;
      for (const [pid = 0, parent = 0] of rows) if (tree.has(parent)) tree.add(pid);
    }
    tree.delete(root);
    for (const pid of tree) seen.add(pid);
  }
  const listChildren = (parent: number): string[] =>
    execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map((row) => row.trim().split(/\s+/))
      .flatMap(([pid = '', ppid]) => (Number(ppid) === parent ? [pid] : []));
  /** Runs `run --once` with debug output, so that tests can check that it prints nothing but its refusal. */
  const runOnce = async (): Promise<[number | null, string]> => {
    const once = start(CLI, ['run', '--once', '--verbose']);
    const code = await once.exited;
    return [code, once.output()];
  };
  function listSurvivors(): string[] {
    return execFileSync('ps', ['-A', '-o', 'pid=,stat=,args='], { encoding: 'utf8' })
      .split('\n')
      .map((row) => row.trim())
      .filter((row) => seen.includes(Number(row.split(/\s+/)[0])) && !/^\d+\s+Z/.test(row))
      .filter((row) => /node|redis|valkey/.test(row));
  }
  const untilNothingRuns = (): Promise<void> => eventually(() => expect(listSurvivors()).toEqual([]));

  const ALL = ['poller', 'worker-1', 'worker-2', 'dashboard'];

  it('turns an issue into a pull request, survives the crash of any child, and leaves no process behind', async () => {
    const up = startUp();
    const events = await untilReady(up, ALL);
    await pullOf(up, await openIssue());

    const refused = startUp();
    expect([await refused.exited, refused.output()]).toEqual([
      1,
      expect.stringContaining(`mergexo up with pid ${up.pid}`),
    ]);

    const killed = ['redis', ...ALL].map((name) => {
      const pid = events.find(({ app, event }) => app === name && event === 'started')?.pid ?? 0;
      expect(pid).toBeGreaterThan(1);
      const command = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
      expect(command.includes(NODE_ARGS.join(' '))).toBe(name !== 'redis');
      process.kill(pid, 'SIGKILL');
      return pid;
    });
    const after = await until(up, 'second start', (now) =>
      ALL.every(
        (name) => now.filter(({ app, text }) => app === name && text.startsWith('ready')).length === 2,
      ),
    );
    for (const name of ALL) {
      const restarts = after.filter(({ app, event }) => app === name && /^(started|restarting)$/.test(event));
      expect(restarts.map(({ event }) => event)).toEqual(['started', 'restarting', 'started']);
      expect(killed).not.toContain(restarts[2]?.pid);
    }
    expect(after).toContainEqual(expect.objectContaining({ app: 'redis', event: 'warn' }));
    await pullOf(up, await openIssue());

    up.kill('SIGINT');
    expect(await up.exited).toBe(0);
    const stopped = eventsOf(up).filter(({ event }) => event === 'stopped');
    expect(stopped.map(({ app }) => app.replace(/-\d/, ''))).toEqual([
      'worker',
      'worker',
      'poller',
      'dashboard',
      'redis',
    ]);
    expect(seen.size()).toBeGreaterThan(9);
    await untilNothingRuns();
    expect(up.output()).not.toContain(twin.tokens['robot']);
  });

  it('stops its children when it is killed', async () => {
    const up = startUp('--workers', '1');
    await untilReady(up, ['poller', 'worker-1', 'dashboard']);
    up.kill('SIGKILL');
    await up.exited;
    await untilNothingRuns();
  });

  it('refuses to start while a poller is running, and does not disturb that poller', async () => {
    const poller = start(POLLER, []);
    await eventually(() => expect(poller.output()).toContain('poller is ready'));
    recordDescendants(poller.pid);
    const up = startUp();
    expect([await up.exited, up.output()]).toEqual([
      1,
      expect.stringContaining(`the poller with pid ${poller.pid}`),
    ]);
    expect(poller.output()).not.toContain('embedded Redis died');
    poller.kill('SIGTERM');
    expect(await poller.exited).toBe(0);
  });

  it('makes a simultaneous run --once exit before it starts any process, and name the next step', async () => {
    const up = startUp('--workers', '1', '--no-dashboard');
    await untilReady(up, ['poller', 'worker-1']);
    const children = listChildren(up.pid);
    expect(await runOnce()).toEqual([
      1,
      expect.stringMatching(
        new RegExp(
          `^mergexo: .*run --once.* mergexo up with pid ${up.pid} .*\\. Nothing was started\\..*npx mergexo status`,
        ),
      ),
    ]);
    expect(listChildren(up.pid)).toEqual(children);
    up.kill('SIGTERM');
    expect(await up.exited).toBe(0);
  });

  it('starts no process while a poller is running, and neither does run --once', async () => {
    const poller = start(POLLER, []);
    await eventually(() => expect(poller.output()).toContain('poller is ready'));
    recordDescendants(poller.pid);
    expect(await runOnce()).toEqual([
      1,
      expect.stringMatching(
        new RegExp(`^mergexo: .*the poller with pid ${poller.pid} .*Nothing was started`),
      ),
    ]);
    poller.kill('SIGTERM');
    expect(await poller.exited).toBe(0);
  });

  it('keeps running if the dashboard port is busy, and retries the dashboard with a growing delay', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = Object(other.address());
    set('port', String(port));
    const up = startUp('--workers', '1');
    try {
      await untilReady(up, ['poller', 'worker-1']);
      const events = await until(
        up,
        'third restart of the dashboard',
        (now) => now.filter(({ app, event }) => app === 'dashboard' && event === 'restarting').length === 3,
      );
      const printed = events.filter(({ app }) => app === 'dashboard').map(({ text }) => text);
      expect(printed).toEqual([
        expect.stringMatching(/^started \(pid \d+\)$/),
        expect.stringMatching(
          new RegExp(
            `^cannot start: .*127\\.0\\.0\\.1:${port} .*; everything else keeps running\\. Retrying in 1 s$`,
          ),
        ),
        'still cannot start. Retrying in 2 s',
        'still cannot start. Retrying in 4 s',
      ]);
      expect(eventsOf(up)).toContainEqual(
        expect.objectContaining({
          app: 'check',
          text: expect.stringContaining('cannot be used (EADDRINUSE)'),
        }),
      );
      await sleep(200);
      expect(eventsOf(up).some(({ event }) => event === 'stopping')).toBe(false);
    } finally {
      up.kill('SIGTERM');
      expect(await up.exited).toBe(0);
      other.close();
      set('port', '0');
    }
  });

  it('checks the setup first, and starts nothing if a check fails', async () => {
    const up = startProgram(CLI, ['up', '--json'], {
      HOME: directory.path,
      MERGEXO_CONFIG: config,
      GITHUB_TOKEN: 'ghp_wrong',
    });
    programs.push(up);
    expect(await up.exited).toBe(1);
    const events = eventsOf(up);
    expect(events.map(({ event }) => event)).not.toContain('started');
    expect(events.at(-1)).toMatchObject({
      event: 'refused',
      text: expect.stringContaining('fix login first'),
    });
  });

  it('stops everything when the poller fails to start, and prints the reason', async () => {
    const mark = join(findDataDirectory({ env: {}, homeDir: directory.path }), 'secret.fingerprint');
    const before = existsSync(mark) ? readFileSync(mark, 'utf8') : undefined;
    writeFileSync(mark, `${'0'.repeat(64)}\n`, { mode: 0o600 });
    const up = startUp('--workers', '1', '--no-check', '--no-dashboard');
    expect(await up.exited).toBe(1);
    const events = eventsOf(up);
    const printed = events.filter(
      ({ app, event }) => app === 'poller' && /^(restarting|gave_up)$/.test(event),
    );
    expect(printed.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^cannot start: .*adopt --repo.* Retrying in 1 s$/),
      'still cannot start. Retrying in 2 s',
      'failed to start (exit code 1). Last lines of its output:',
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({ app: 'poller', text: expect.stringContaining('mergexo adopt --repo') }),
    );
    if (before === undefined) rmSync(mark);
    else writeFileSync(mark, before, { mode: 0o600 });
  });

  it('kills a running agent and exits at once on the second signal', async () => {
    const up = startUp('--workers', '1', '--no-dashboard');
    await untilReady(up, ['poller', 'worker-1']);
    const issue = await openIssue({ sleepMs: 600_000 });
    const calls = join(
      findDataDirectory({ env: {}, homeDir: directory.path }),
      ...['agents/alice/app', String(issue), 'calls.jsonl'],
    );
    await until(up, 'agent', () => existsSync(calls));
    up.kill('SIGTERM');
    await until(up, 'stopping', (events) => events.some(({ event }) => event === 'stopping'));
    // A second signal right after the first signal counts as a duplicate.
    await sleep(300);
    up.kill('SIGTERM');
    expect(await up.exited).toBe(0);
    await untilNothingRuns();
  });
});
