import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readSettings, type Settings } from '@mergexo/config';
import { Failure, MERGEXO_CLI, UsageError } from '@mergexo/core/basics';
import type { Context } from '../context.js';
import { holdAlone, upLockOf } from '../hold-alone.js';

export type RunOptions = { once?: boolean };

const program = (app: string): string =>
  fileURLToPath(new URL(`../../../${app}/dist/main.js`, import.meta.url));

/** One look at GitHub, then everything that follows from it, until nothing is left to do. Refuses beside a running poller. */
export async function run(context: Context, options: RunOptions): Promise<void> {
  if (!options.once) {
    throw new UsageError(`Say --once. For steady work run \`${MERGEXO_CLI} up\`.`);
  }
  const settings = readSettings(context);
  const { config, configPath } = settings;
  refuseBesidePoller(settings);
  const start = (app: string, ...args: string[]) =>
    spawn(
      process.execPath,
      [program(app), '--config', configPath, ...(context.verbose ? ['--verbose'] : []), ...args],
      {
        // Standard output is for our own last word; log lines go beside it.
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
  // Without its worker the poller would wait for ever.
  void workerEnded.then(() => poller.kill('SIGTERM'));
  const [code] = await ended;
  const lostWorker = worker.exitCode !== null;
  worker.kill('SIGTERM');
  await workerEnded;
  if (lostWorker) throw new Failure('unavailable', 'The worker ended early; its lines above say why.');
  if (code !== 0) throw new Failure('unavailable', `The poller ended with ${code}; its lines above say why.`);
  context.print({ ok: true }, () => ['Nothing is left to do.']);
}

/** The poller would refuse by itself, but only after a worker had started and joined the running fleet. */
function refuseBesidePoller(settings: Settings): void {
  try {
    for (const path of [upLockOf(settings), settings.paths.lock]) holdAlone(path, 'run --once').release();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'conflict') throw error;
    const hint = `Nothing was started. The running poller does the same work: \`${MERGEXO_CLI} status\` shows it.`;
    throw new Failure('conflict', `${error.message} ${hint}`, { cause: error });
  }
}
