#!/usr/bin/env node
import { ConfigError } from '@mergexo/config';
import { Failure } from '@mergexo/core';
import { createLog } from '@mergexo/log';
import { readDashboardConfig } from './config.js';
import { runDashboard } from './run-dashboard.js';

try {
  await main();
} catch (error) {
  if (!(error instanceof Failure || error instanceof ConfigError)) throw error;
  process.stderr.write(`mergexo dashboard: ${error.message}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const settings = readDashboardConfig();
  const { config, paths, password, secrets } = settings;
  const { log, close } = createLog({
    app: 'dashboard',
    level: settings.verbose ? 'debug' : config.runtime.logLevel,
    secrets: password === undefined ? secrets : [...secrets, password],
    dir: paths.logs,
  });
  const dashboard = await runDashboard(settings, log);
  let stopping = false;
  const onSignal = async (signal: string): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'dashboard is stopping');
    await dashboard.stop();
    await close();
    process.exit(0);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
