import { once } from 'node:events';
import type { Server } from 'node:http';
import { homedir } from 'node:os';
import { followConfig } from '@mergexo/config';
import { Failure, type Log, type LogCode } from '@mergexo/core/basics';
import type { DashboardConfig } from './config.js';
import { createApp } from './create-app.js';
import { startWatching } from './outage/start-watching.js';
import { createRedisConnection } from './queues/create-redis-connection.js';

const READY: LogCode = 'program_ready';

export type RunningDashboard = { url: string; stop(): Promise<void> };

/** Starts the dashboard, even without a database or Redis. The pages report what is missing. */
export async function runDashboard(settings: DashboardConfig, log: Log): Promise<RunningDashboard> {
  const { host, port } = settings.config.dashboard;
  const connection = createRedisConnection(settings, log);
  const server = createApp(settings, { connection, log }).listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    connection.close();
    throw new Failure(
      'unavailable',
      `The dashboard cannot listen on ${host}:${port} (${String(error)}). Set another port in [dashboard], or stop the program that uses port ${port}.`,
      {
        cause: error,
      },
    );
  }
  const url = describeUrl(server, host);
  const config = followConfig(settings, { env: process.env, homeDir: homedir() }, (reload) => {
    // The poller reports a file that it cannot load, on every page.
    if (reload.kind === 'rejected') log.warn({ reason: reload.reason }, 'the config file was not loaded');
  });
  const stopWatching = startWatching(settings, log, config);
  log.info({ code: READY, url }, 'dashboard is ready');
  return {
    url,
    async stop() {
      config.stop();
      stopWatching();
      connection.close();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function describeUrl(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}/`;
}
