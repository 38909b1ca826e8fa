#!/usr/bin/env node
import { runProgram } from '@mergexo/log';
import { type DashboardConfig, readDashboardConfig } from './config.js';
import { runDashboard } from './run-dashboard.js';

await runProgram({
  app: 'dashboard',
  read: readConfig,
  start: async (settings, { log, stopWith }) => {
    const dashboard = await runDashboard(settings, log);
    stopWith(dashboard.stop);
  },
});

/** Reads the config and adds the password to the secrets that the log redacts. */
function readConfig(): DashboardConfig {
  const settings = readDashboardConfig();
  const { password, secrets } = settings;
  return password === undefined ? settings : { ...settings, secrets: [...secrets, password] };
}
