import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createSecretFile, parseConfig } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import { listFlowLabels } from '@mergexo/core/flows';
import { GITHUB_LIMITS, type Person, startTwin, type Twin } from '@mergexo/github-twin';
import { chooseRedisKind, startEmbeddedRedis } from '@mergexo/queue';
import { PROJECT } from './project.js';

export const REPO = 'you/todo';
const WORKERS = 2;
/** A worker hands its turn back and ends its agent within this; nobody waits longer after Ctrl-C. */
const LEAVE_LIMIT_MS = 8_000;
/** When the demo is gone, however it went, its programs go too. */
const END_WITH_PARENT = new URL('../../cli/dist/up/end-with-parent.js', import.meta.url).href;

export type App = 'poller' | 'worker-1' | 'worker-2' | 'dashboard';

/** Everything that MergeXO needs, on this machine alone: an offline GitHub, Redis, and the real programs. */
export type Stage = {
  twin: Twin;
  you: Person;
  redisKind: string;
  dashboardUrl: string;
  /** For git, with the visitor's login in it: both last as long as the demo. */
  cloneUrl: string;
  /** How long the agent takes for an answer. */
  thinkMs: number;
  start(app: App): void;
  /** kill -9, and a new one in its place: what a supervisor would do. */
  crash(app: App): Promise<void>;
  /** The line of `mergexo explain` that has these words; undefined until it has. */
  /** For commands about the fleet of the demo. */
  configPath: string;
  explain(issue: number, words: string): Promise<string | undefined>;
  /** How long each step may take. */
  patienceMs: number;
  /** The directory with one log per program. */
  logs: string;
  /** Ends every program and removes every file; the logs stay if `keepLogs` says so. */
  close(options: { keepLogs: boolean }): Promise<void>;
};

export async function createStage(options: { fast: boolean; patienceMs: number }): Promise<Stage> {
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
          private: false,
          permissions: { 'mergexo-bot': 'write' },
          files: { ...PROJECT },
          labels: listLabels(),
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
  let closing: Promise<void> | undefined;
  const start = (app: App): void => {
    if (closing !== undefined) return;
    const [name, args] = describe(app, configPath);
    const program = fileURLToPath(new URL(`../../${name}/dist/main.js`, import.meta.url));
    // Detached: Ctrl-C in the terminal reaches the demo alone, which ends its programs in peace.
    const child = spawn(process.execPath, ['--no-warnings', '--import', END_WITH_PARENT, program, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      env: {
        ...process.env,
        MERGEXO_REDIS_PASSWORD: password,
        GITHUB_TOKEN: twin.tokens['mergexo-bot'],
        DEMO_AGENT_MS: String(thinkMs),
      },
    });
    child.stdin.on('error', () => {});
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
    const limit = setTimeout(() => child.kill('SIGKILL'), LEAVE_LIMIT_MS);
    await ended;
    clearTimeout(limit);
  };
  const close = async (keepLogs: boolean): Promise<void> => {
    await Promise.all([end('worker-1', 'SIGTERM'), end('worker-2', 'SIGTERM')]);
    await Promise.all([end('poller', 'SIGTERM'), end('dashboard', 'SIGTERM')]);
    await twin.stop();
    await redis.stop();
    for (const path of keepLogs ? readdirSync(dir).map((name) => join(dir, name)) : [dir])
      if (path !== logs) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  };
  return {
    twin,
    you: twin.as('you'),
    redisKind: kind,
    thinkMs,
    dashboardUrl: `http://127.0.0.1:${dashboardPort}/`,
    cloneUrl: twin.gitUrl('you', 'todo').replace('://', `://you:${twin.tokens['you']}@`),
    patienceMs: options.patienceMs,
    logs,
    configPath,
    explain: (issue, words) => explain(configPath, issue, words),
    start,
    async crash(app) {
      await end(app, 'SIGKILL');
      start(app);
    },
    close({ keepLogs }) {
      closing ??= close(keepLogs);
      return closing;
    },
  };
}

/** As a person would ask: by the command line. */
async function explain(configPath: string, issue: number, words: string): Promise<string | undefined> {
  const program = fileURLToPath(new URL('../../cli/bin/mergexo.js', import.meta.url));
  const args = [program, 'explain', String(issue), '--config', configPath];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch(() => ({ stdout: '' }));
  const line = stdout.split('\n').find((text) => text.includes(words) && text.includes('ready'));
  return line?.trim();
}

function describe(app: App, configPath: string): [string, string[]] {
  if (app === 'poller' || app === 'dashboard') return [app, ['--config', configPath]];
  return ['worker', ['--config', configPath, '--slots', '1']];
}

/** Under the default names, which the demo's configuration keeps. */
function listLabels(): { name: string; color: string }[] {
  const { repos } = parseConfig('[repo.todo]\nowner = "you"\nname = "todo"\n', { homeDir: '/' });
  return repos.flatMap(({ labels, review }) => [
    ...listFlowLabels(labels).map(({ name, color }) => ({ name, color })),
    { name: labels.ignore, color: 'cfd3d7' },
    { name: review.escalationLabel, color: 'fbca04' },
  ]);
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
drain_grace_seconds = 0
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
