#!/usr/bin/env node
import { armFailpoint, createStop, explainError } from '@mergexo/core/basics';
import { createLog } from '@mergexo/log';
import { readWorkerConfig } from './config.js';
import { createSteps } from './create-steps.js';
import { findRedis } from './find-redis.js';
import { runWorker } from './run-worker.js';

try {
  await main();
} catch (error) {
  const problem = explainError(error);
  if (problem === undefined) throw error;
  process.stderr.write(`mergexo worker: ${problem.message}\n`);
  process.exit(problem.exitCode);
}

async function main(): Promise<void> {
  const settings = readWorkerConfig();
  armFailpoint(settings.failpoint, () => process.kill(process.pid, 'SIGKILL'));
  const { config, paths } = settings;
  const { log, close } = createLog({
    app: 'worker',
    level: settings.verbose ? 'debug' : config.runtime.logLevel,
    secrets: settings.secrets,
    dir: paths.logs,
  });
  let drain = async (): Promise<void> => {};
  const leave = async (signal: string): Promise<void> => {
    log.info({ signal }, 'worker is stopping');
    await drain();
    await close();
    process.exit(0);
  };
  // A second signal is abrupt, and still safe: the turn is taken over like after a crash.
  const onSignal = createStop({
    now: () => performance.now(),
    begin: leave,
    abort: () => process.exit(1),
  });
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  // BullMQ looks for the end of a job in a promise that nobody awaits. A Redis that hangs must not end the worker.
  process.on('unhandledRejection', (reason) => {
    if (!(reason instanceof Error) || !/Command timed out|Connection is closed/.test(reason.message))
      throw reason;
    log.debug({ err: reason }, 'Redis did not answer');
  });

  const worker = await runWorker({
    target: await findRedis(settings, log),
    prefix: config.redis.keyPrefix,
    spoolRoot: paths.workers,
    slots: settings.slots,
    drainGraceMs: config.runtime.drainGraceSeconds * 1_000,
    ...(await createSteps(settings, log)),
    log,
  });
  drain = worker.drain;
}
