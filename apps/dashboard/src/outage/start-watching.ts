import { join } from 'node:path';
import type { Log } from '@mergexo/core/basics';
import { createChannels } from '@mergexo/notify';
import { readHealth, readSnapshot } from '@mergexo/state';
import type { DashboardConfig } from '../config.js';
import { createOutageRecords } from './outage-record.js';
import { watchPoller } from './watch-poller.js';

const PAUSE_MS = 10_000;

/** Watches the poller if notifications about it are configured. Returns a function that ends the watch. */
export function startWatching(settings: DashboardConfig, log: Log): () => void {
  const { config, paths, webhook, childEnv: env, redact } = settings;
  const { command, desktop, events } = config.notify;
  const channels = events.includes('poller')
    ? createChannels({ webhook, command, desktop, env, redact })
    : [];
  if (channels.length === 0) return () => {};
  const now = (): number => Date.now();
  const about = {
    pollIntervalMs: config.runtime.pollIntervalSeconds * 1_000,
    configured: config.repos.map(({ fullName }) => fullName),
  };
  const check = watchPoller({
    ...{ channels, log, now },
    monotonicNow: () => performance.now(),
    records: createOutageRecords(join(config.runtime.baseDir, 'poller-outage.json')),
    readHealth: () =>
      readSnapshot(paths.database, ({ state }) => readHealth(state, { ...about, now: now() })),
  });
  const round = async (): Promise<void> => {
    try {
      await check();
    } catch (error) {
      // The page and /readyz report an unreadable database.
      log.warn({ err: error }, 'could not check whether the poller runs');
    }
  };
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(round);
  }, PAUSE_MS);
  return () => clearInterval(timer);
}
