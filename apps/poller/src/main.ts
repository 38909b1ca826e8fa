#!/usr/bin/env node
import { ConfigError } from '@mergexo/config';
import { armFailpoint, Failure } from '@mergexo/core';
import { createLog } from '@mergexo/log';
import { readPollerConfig } from './config.js';
import { type RunningPoller, runPoller } from './run-poller.js';

try {
  await main();
} catch (error) {
  if (!(error instanceof Failure || error instanceof ConfigError)) throw error;
  process.stderr.write(`mergexo poller: ${error.message}\n`);
  process.exit(1);
}

async function main(): Promise<void> {
  const settings = readPollerConfig();
  armFailpoint(settings.failpoint, () => process.kill(process.pid, 'SIGKILL'));
  const { log, close } = createLog({
    app: 'poller',
    level: settings.verbose ? 'debug' : settings.config.runtime.logLevel,
    secrets: settings.secrets,
    dir: settings.paths.logs,
  });
  let poller: RunningPoller | undefined;
  let stopping = false;
  const onSignal = async (signal: string): Promise<void> => {
    // The second signal is abrupt, and still safe: everything that counts is in SQLite before it happens.
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'poller is stopping');
    await poller?.stop();
    await close();
    process.exit(0);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);

  poller = await runPoller(settings, log);
  if (!settings.once) return;
  for (const turn of await poller.untilIdle()) {
    log.warn(
      { turn_key: turn.turnKey, issue_number: turn.issueNumber, reason: turn.reason },
      'waits for later',
    );
  }
  await onSignal('idle');
}
