import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type App = 'poller' | 'worker-1' | 'worker-2' | 'dashboard';

/** Time limit for a worker to return its turn and stop its agent. */
const LEAVE_LIMIT_MS = 8_000;
/** Module that stops a program when the demo exits, even if the demo is killed. */
const END_WITH_PARENT = new URL('../../cli/dist/up/end-with-parent.js', import.meta.url).href;

type Surroundings = { configPath: string; logs: string; env: NodeJS.ProcessEnv };

/** Runs the real programs as processes, each with its own log file. */
export function createPrograms({ configPath, logs, env }: Surroundings) {
  const running = new Map<App, ChildProcess>();
  let isClosing = false;
  const start = (app: App): void => {
    if (isClosing) return;
    const isWorker = app.startsWith('worker');
    const path = new URL(`../../${isWorker ? 'worker' : app}/dist/main.js`, import.meta.url);
    const args = ['--config', configPath, ...(isWorker ? ['--slots', '1'] : [])];
    // The child is detached, so that Ctrl-C reaches only the demo. The demo then stops its programs in order.
    const child = spawn(
      process.execPath,
      ['--no-warnings', '--import', END_WITH_PARENT, fileURLToPath(path), ...args],
      { stdio: ['pipe', 'pipe', 'pipe'], detached: true, env: { ...process.env, ...env } },
    );
    child.stdin.on('error', () => {});
    const file = createWriteStream(join(logs, `${app}.log`), { flags: 'a' });
    child.stdout.pipe(file, { end: false });
    child.stderr.pipe(file, { end: false });
    running.set(app, child);
  };
  const end = async (app: App, signal: NodeJS.Signals): Promise<void> => {
    const child = running.get(app);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    const limit = setTimeout(() => child.kill('SIGKILL'), LEAVE_LIMIT_MS);
    await ended;
    clearTimeout(limit);
  };
  return {
    start,
    /** Kills the program with SIGKILL and starts it again, as a supervisor would. */
    async crash(app: App): Promise<void> {
      await end(app, 'SIGKILL');
      start(app);
    },
    async close(): Promise<void> {
      isClosing = true;
      await Promise.all([end('worker-1', 'SIGTERM'), end('worker-2', 'SIGTERM')]);
      await Promise.all([end('poller', 'SIGTERM'), end('dashboard', 'SIGTERM')]);
    },
  };
}

/** Variables that programs need to find executables, create temporary files and print text. */
const KEPT = [
  'PATH',
  'HOME',
  'USER',
  'TMPDIR',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TERM',
  'SHELL',
  'NODE_OPTIONS',
];

/** Deletes all other variables, so that MERGEXO_*, GITHUB_TOKEN, GH_*, GIT_* and proxy settings have no effect. */
export function keepOnly(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) if (!KEPT.includes(name)) delete env[name];
}
