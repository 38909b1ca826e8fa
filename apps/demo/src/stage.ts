import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createSecretFile, parseConfig } from '@mergexo/config';
import { silentLog } from '@mergexo/core/basics';
import { listFlowLabels } from '@mergexo/core/flows';
import { type Person, startTwin, type Twin } from '@mergexo/github-twin';
import { chooseRedisKind, startEmbeddedRedis } from '@mergexo/queue';
import { createPrograms } from './programs.js';
import { PROJECT } from './project.js';

export const REPO = 'you/todo';
const WORKERS = 2;
export type Stage = Awaited<ReturnType<typeof createStage>>;

/** Starts a complete local installation: an offline GitHub, Redis and the real programs. */
export async function createStage(options: { fast: boolean; stepTimeoutMs: number }) {
  const dir = mkdtempSync(join(tmpdir(), 'mergexo-demo-'));
  const kind = chooseRedisKind(process.env['PATH'] ?? '');
  const redis = await startEmbeddedRedis({ dir: join(dir, 'r'), kind, log: silentLog });
  const twin = await openTwin();
  const dashboardPort = await findFreePort();
  const { password, path } = redis.target;
  const configPath = writeInstallation({
    dir,
    twin,
    url: `unix://${path}`,
    dashboardPort,
  });
  const logs = join(dir, 'logs');
  mkdirSync(logs);
  const thinkMs = options.fast ? 600 : 2_000;
  const programs = createPrograms({
    configPath,
    logs,
    env: {
      MERGEXO_REDIS_PASSWORD: password,
      GITHUB_TOKEN: twin.tokens['mergexo-bot'],
      DEMO_AGENT_MS: String(thinkMs),
    },
  });
  const close = async (keepLogs: boolean): Promise<void> => {
    await programs.close();
    await twin.stop();
    await redis.stop();
    for (const path of keepLogs ? readdirSync(dir).map((name) => join(dir, name)) : [dir])
      if (path !== logs) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  };
  let closing: Promise<void> | undefined;
  const you: Person = twin.as('you');
  return {
    twin,
    you,
    /** Time that the scripted agent takes per turn. */
    thinkMs,
    dashboardUrl: `http://127.0.0.1:${dashboardPort}/`,
    /** Contains the visitor's credentials, which work only while the demo runs. */
    cloneUrl: twin.gitUrl('you', 'todo').replace('://', `://you:${twin.tokens['you']}@`),
    /** Time limit for each step of the story. */
    stepTimeoutMs: options.stepTimeoutMs,
    /** Directory with one log file per program. */
    logs,
    /** Config for CLI commands that inspect the demo. */
    configPath,
    /** Returns the line of `mergexo explain` that contains this text, or undefined. */
    explain: (issue: number, text: string) => explain(configPath, issue, text),
    start: programs.start,
    crash: programs.crash,
    /** Stops every program and deletes every file, except the logs if `keepLogs` is set. */
    close({ keepLogs }: { keepLogs: boolean }): Promise<void> {
      closing ??= close(keepLogs);
      return closing;
    },
  };
}

function openTwin(): Promise<Twin> {
  const repo = {
    name: REPO,
    private: false,
    permissions: { 'mergexo-bot': 'write' as const },
    files: { ...PROJECT },
    labels: listLabels(),
  };
  return startTwin({
    pages: true,
    seed: { users: [{ login: 'you' }, { login: 'mergexo-bot' }], repos: [repo] },
    limits: {
      pointsPerMinute: 100_000,
      contentPerMinute: 10_000,
      contentPerHour: 10_000,
      primaryPerHour: 1_000_000,
    },
  });
}

/** Runs the real CLI, as a user would. */
async function explain(configPath: string, issue: number, text: string): Promise<string | undefined> {
  const program = fileURLToPath(new URL('../../cli/bin/mergexo.js', import.meta.url));
  const args = [program, 'explain', String(issue), '--config', configPath];
  const { stdout } = await promisify(execFile)(process.execPath, args).catch(() => ({ stdout: '' }));
  const line = stdout.split('\n').find((row) => row.includes(text) && row.includes('ready'));
  return line?.trim();
}

/** Lists the default labels, which the demo's config does not change. */
function listLabels(): { name: string; color: string }[] {
  const { repos } = parseConfig('[repo.todo]\nowner = "you"\nname = "todo"\n', { homeDir: '/' });
  return repos.flatMap(({ labels, review }) => [
    ...listFlowLabels(labels).map(({ name, color }) => ({ name, color })),
    { name: labels.ignore, color: 'cfd3d7' },
    { name: review.escalationLabel, color: 'fbca04' },
  ]);
}

type Facts = { dir: string; twin: Twin; url: string; dashboardPort: number };

/** Writes the config and the signing secret, and returns the path of the config. */
function writeInstallation(facts: Facts): string {
  const path = join(facts.dir, 'mergexo.toml');
  mkdirSync(join(facts.dir, 'data'), { mode: 0o700 });
  createSecretFile(join(facts.dir, 'data', 'secret'));
  writeFileSync(path, renderConfig(facts));
  return path;
}

function renderConfig(facts: Facts): string {
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
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
