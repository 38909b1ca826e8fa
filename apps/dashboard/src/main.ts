#!/usr/bin/env node
import { createStop, explainError } from '@mergexo/core/basics';
import { createLog } from '@mergexo/log';
import { readDashboardConfig } from './config.js';
import { runDashboard } from './run-dashboard.js';

try {
  await main();
} catch (error) {
  const problem = explainError(error);
  if (problem === undefined) throw error;
  process.stderr.write(`mergexo dashboard: ${problem.message}\n`);
  process.exit(problem.exitCode);
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
  const leave = async (signal: string): Promise<void> => {
    log.info({ signal }, 'dashboard is stopping');
    await dashboard.stop();
    await close();
    process.exit(0);
  };
  const onSignal = createStop({
    now: () => performance.now(),
    begin: leave,
    abort: () => process.exit(1),
  });
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
