#!/usr/bin/env node
import { runProgram } from '@mergexo/log';
import { readDashboardConfig } from './config.js';
import { runDashboard } from './run-dashboard.js';

await runProgram({
  app: 'dashboard',
  read: readDashboardConfig,
  start: async (settings, { log, stopWith }) => {
    const dashboard = await runDashboard(settings, log);
    stopWith(dashboard.stop);
  },
});
