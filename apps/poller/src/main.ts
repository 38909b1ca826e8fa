#!/usr/bin/env node
import { armFailpoint, createStop, explainError } from '@mergexo/core/basics';
import { createLog } from '@mergexo/log';
import { readPollerConfig } from './config.js';
import { type RunningPoller, runPoller } from './run-poller.js';

try {
  await main();
} catch (error) {
  fail(error);
}

/** Expected trouble in one line with the next step; a bug with its stack. */
function fail(error: unknown): never {
  const problem = explainError(error);
  const words = problem?.message ?? (error instanceof Error ? error.stack : String(error));
  process.stderr.write(`mergexo poller: ${words}\n`);
  process.exit(problem?.exitCode ?? 1);
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
  const leave = async (signal: string): Promise<void> => {
    log.info({ signal }, 'poller is stopping');
    await poller?.stop();
    await close();
    process.exit(0);
  };
  // A second signal is abrupt, and still safe: everything that counts is in SQLite before it happens.
  const onSignal = createStop({
    now: () => performance.now(),
    begin: leave,
    abort: () => process.exit(1),
  });
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);

  poller = await runPoller(settings, log, (error) => {
    log.error({ err: error }, 'the poller cannot go on');
    void close().finally(() => fail(error));
  });
  if (!settings.once) return;
  for (const turn of await poller.untilIdle()) {
    log.warn(
      { turn_key: turn.turnKey, issue_number: turn.issueNumber, reason: turn.reason },
      'waits for later',
    );
  }
  await leave('idle');
}
