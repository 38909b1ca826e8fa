import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSecretFile } from '@mergexo/config';
import { silentLog } from '@mergexo/core';
import { GITHUB_LIMITS, type Person, startTwin, type Twin } from '@mergexo/github-twin';
import { chooseRedisKind, startEmbeddedRedis } from '@mergexo/queue';
import { PROJECT } from './project.js';

export const REPO = 'you/todo';
const WORKERS = 2;

export type App = 'poller' | 'worker-1' | 'worker-2' | 'dashboard';

/** Everything that MergeXO needs, on this machine alone: an offline GitHub, Redis, and the real programs. */
export type Stage = {
  twin: Twin;
  you: Person;
  redisKind: string;
  dashboardUrl: string;
  /** How long the agent takes for an answer. */
  thinkMs: number;
  start(app: App): void;
  /** kill -9, and a new one in its place: what a supervisor would do. */
  crash(app: App): Promise<void>;
  /** Where the lines of each program are. */
  logs: string;
  close(): Promise<void>;
};

export async function createStage(options: { fast: boolean }): Promise<Stage> {
  const dir = mkdtempSync(join(tmpdir(), 'mergexo-demo-'));
  const kind = chooseRedisKind(process.env['PATH'] ?? '');
  const redis = await startEmbeddedRedis({ dir: join(dir, 'r'), kind, log: silentLog });
  const twin: Twin = await startTwin({
    pages: true,
    seed: {
      users: [{ login: 'you' }, { login: 'mergexo-bot' }],
      repos: [
        {
          name: REPO,
          permissions: { 'mergexo-bot': 'write' },
          files: { ...PROJECT },
          labels: ['agent:design', 'agent:bugfix', 'agent:small-job', 'agent:ignore'],
        },
      ],
    },
    limits: {
      ...GITHUB_LIMITS,
      pointsPerMinute: 100_000,
      contentPerMinute: 10_000,
      contentPerHour: 10_000,
      primaryPerHour: 1_000_000,
    },
  });
  const configPath = join(dir, 'mergexo.toml');
  const dashboardPort = await findFreePort();
  const { password, path, port } = redis.target;
  mkdirSync(join(dir, 'data'), { mode: 0o700 });
  createSecretFile(join(dir, 'data', 'secret'));
  writeFileSync(
    configPath,
    renderConfig({ dir, twin, url: path ? `unix://${path}` : `redis://127.0.0.1:${port}`, dashboardPort }),
  );
  const logs = join(dir, 'logs');
  mkdirSync(logs);

  const thinkMs = options.fast ? 600 : 2_000;
  const running = new Map<App, ChildProcess>();
  let closing = false;
  const start = (app: App): void => {
    const [name, args] = describe(app, configPath);
    const program = fileURLToPath(new URL(`../../${name}/dist/main.js`, import.meta.url));
    const child = spawn(process.execPath, ['--no-warnings', program, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        MERGEXO_REDIS_PASSWORD: password,
        GITHUB_TOKEN: twin.tokens['mergexo-bot'],
        DEMO_AGENT_MS: String(thinkMs),
      },
    });
    const file = createWriteStream(join(logs, `${app}.log`), { flags: 'a' });
    child.stdout.pipe(file, { end: false });
    child.stderr.pipe(file, { end: false });
    running.set(app, child);
  };
  const end = async (app: App, signal: NodeJS.Signals): Promise<void> => {
    const child = running.get(app);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  };
  return {
    twin,
    you: twin.as('you'),
    redisKind: kind,
    thinkMs,
    dashboardUrl: `http://127.0.0.1:${dashboardPort}/`,
    logs,
    start,
    async crash(app) {
      await end(app, 'SIGKILL');
      start(app);
    },
    async close() {
      if (closing) return;
      closing = true;
      await Promise.all([...running.keys()].map((app) => end(app, 'SIGKILL')));
      await twin.stop();
      await redis.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function describe(app: App, configPath: string): [string, string[]] {
  if (app === 'poller' || app === 'dashboard') return [app, ['--config', configPath]];
  return ['worker', ['--config', configPath, '--slots', '1']];
}

function renderConfig(facts: { dir: string; twin: Twin; url: string; dashboardPort: number }): string {
  const agent = fileURLToPath(new URL('./agent.js', import.meta.url));
  const quote = JSON.stringify;
  return `[runtime]
base_dir = ${quote(join(facts.dir, 'data'))}
worker_count = ${WORKERS}
poll_interval_seconds = 0.5
visibility_window_seconds = 3
write_spacing_seconds = 0
feedback_debounce_seconds = 1
[github]
api_url = ${quote(facts.twin.apiUrl)}
[redis]
url = ${quote(facts.url)}
[agent]
adapter = "command"
sandbox = "none"
[command]
argv = [${quote(process.execPath)}, ${quote(agent)}]
[dashboard]
port = ${facts.dashboardPort}
[repo.todo]
owner = "you"
name = "todo"
remote_url = ${quote(facts.twin.gitUrl('you', 'todo'))}
required_tests = "test.sh"
`;
}

async function findFreePort(): Promise<number> {
  const { createServer } = await import('node:net');
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
