import { join } from 'node:path';
import type { ConfigWatch, Settings } from '@mergexo/config';
import type { Log } from '@mergexo/core/basics';
import { type Channel, createChannels } from '@mergexo/notify';
import { readHealth, readSnapshot } from '@mergexo/state';
import type { DashboardConfig } from '../config.js';
import { createOutageRecords } from './outage-record.js';
import { watchPoller } from './watch-poller.js';

const PAUSE_MS = 10_000;

/** Watches the poller while notifications about it are configured. Returns a function that ends the watch. */
export function startWatching(
  started: DashboardConfig,
  log: Log,
  { settings }: Pick<ConfigWatch, 'settings'>,
): () => void {
  const { config, paths } = started;
  const now = (): number => Date.now();
  const about = {
    pollIntervalMs: config.runtime.pollIntervalSeconds * 1_000,
    configured: config.repos.map(({ fullName }) => fullName),
  };
  const check = watchPoller({
    ...{ log, now },
    channels: () => openChannels(settings()),
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

/** Returns the channels for messages about the poller. */
export function openChannels({ config, webhook, childEnv: env, redact }: Settings): readonly Channel[] {
  const { command, desktop, events } = config.notify;
  return events.includes('poller') ? createChannels({ webhook, command, desktop, env, redact }) : [];
}
