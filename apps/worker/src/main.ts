#!/usr/bin/env node
import { runProgram } from '@mergexo/log';
import { readWorkerConfig } from './config.js';
import { findRedis } from './connect/find-redis.js';
import { findWorkerKey } from './connect/find-worker-key.js';
import { createSteps } from './create-steps.js';
import { runWorker } from './run-worker.js';
import { startReloading } from './start-reloading.js';

await runProgram({
  app: 'worker',
  read: readWorkerConfig,
  start: async (settings, { log, stopWith }) => {
    const { config, paths, slots } = settings;
    const watch = startReloading(settings, log);
    const target = await findRedis(settings, log);
    const sender = await findWorkerKey(settings, log);
    // The password of the embedded Redis and the key from the poller's file are not in the settings.
    const found = [target.password, sender().key].filter((secret) => secret !== undefined);
    const secrets = [...settings.secrets, ...found];
    const { notices, ...steps } = await createSteps(
      { ...settings, secrets, repos: () => watch.settings().config.repos },
      log,
    );
    const worker = await runWorker({
      target,
      sender,
      prefix: config.redis.keyPrefix,
      spoolRoot: paths.workers,
      healthFile: paths.workerHealth,
      slots,
      drainGraceMs: config.runtime.drainGraceSeconds * 1_000,
      ...steps,
      notices: () => [...notices, ...watch.notices()],
      log,
    });
    stopWith(worker.drain);
  },
});
