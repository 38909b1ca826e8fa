import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readSettings, type Settings } from '@mergexo/config';
import { Failure, MERGEXO_CLI, UsageError } from '@mergexo/core/basics';
import { bounded } from '@mergexo/process';
import { acquireCommandLock, upLockPath } from '../acquire-command-lock.js';
import type { Context } from '../context.js';

export type RunOptions = { once?: boolean };

/** How long a poller without work takes to exit. */
const POLLER_EXIT_MS = 5_000;

const program = (app: string): string =>
  fileURLToPath(new URL(`../../../${app}/dist/main.js`, import.meta.url));

/** Polls GitHub once and works until no work is left. Fails if a poller is already running. */
export async function run(context: Context, options: RunOptions): Promise<void> {
  if (!options.once) {
    throw new UsageError(
      `Add --once to poll once and exit. To keep MergeXO running, use \`${MERGEXO_CLI} up\`.`,
    );
  }
  const settings = readSettings(context);
  const { config, configPath } = settings;
  rejectRunningPoller(settings);
  const start = (app: string, ...args: string[]) =>
    spawn(
      process.execPath,
      [program(app), '--config', configPath, ...(context.verbose ? ['--verbose'] : []), ...args],
      {
        // Standard output is reserved for the result, so log lines go to standard error.
        stdio: ['ignore', 2, 2],
        env: { ...context.env },
      },
    );
  const poller = start('poller', '--once');
  const ended = once(poller, 'exit');
  const worker = start('worker', '--slots', String(config.runtime.workerCount));
  const workerEnded = once(worker, 'exit');
  const stop = (): void => void [poller, worker].map((child) => child.kill('SIGTERM'));
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  // Without a worker, the poller would wait forever, so it is stopped after a delay. The delay allows for a
  // normal end: the poller closes Redis before it exits, so a worker that is still connecting may exit first.
  let lostWorker = false;
  void workerEnded.then(async () => {
    await bounded(ended, POLLER_EXIT_MS);
    lostWorker = poller.exitCode === null;
    poller.kill('SIGTERM');
  });
  const [code] = await ended;
  worker.kill('SIGTERM');
  await workerEnded;
  if (lostWorker)
    throw new Failure('unavailable', 'The worker exited early. Its output above has the reason.');
  if (code !== 0)
    throw new Failure('unavailable', `The poller exited with code ${code}. Its output above has the reason.`);
  context.print({ ok: true }, () => ['Done. No work is left.']);
}

/**
 * Fails if a poller is running. The poller's own check comes too late, because by then a worker has joined
 * the running fleet.
 */
function rejectRunningPoller(settings: Settings): void {
  try {
    for (const path of [upLockPath(settings), settings.paths.lock])
      acquireCommandLock(path, 'run --once').release();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'conflict') throw error;
    const hint = `Nothing was started. The running poller does the same work. Run \`${MERGEXO_CLI} status\` to see it.`;
    throw new Failure('conflict', `${error.message} ${hint}`, { cause: error });
  }
}
