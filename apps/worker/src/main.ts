#!/usr/bin/env node
import { runProgram } from '@mergexo/log';
import { readWorkerConfig } from './config.js';
import { createSteps } from './create-steps.js';
import { findRedis } from './find-redis.js';
import { runWorker } from './run-worker.js';

await runProgram({
  app: 'worker',
  read: readWorkerConfig,
  start: async (settings, { log, stopWith }) => {
    const { config, paths, slots } = settings;
    const worker = await runWorker({
      target: await findRedis(settings, log),
      prefix: config.redis.keyPrefix,
      spoolRoot: paths.workers,
      slots,
      drainGraceMs: config.runtime.drainGraceSeconds * 1_000,
      ...(await createSteps(settings, log)),
      log,
    });
    stopWith(worker.drain);
  },
});
