#!/usr/bin/env node
import { runProgram } from '@mergexo/log';
import { readPollerConfig } from './config.js';
import { runPoller } from './run-poller.js';

await runProgram({
  app: 'poller',
  read: readPollerConfig,
  start: async (settings, { log, stopWith, leave, fail }) => {
    const poller = await runPoller(settings, log, (error) => {
      log.error({ err: error }, 'the poller stops because of an unexpected error');
      fail(error);
    });
    stopWith(poller.stop);
    if (!settings.once) return;
    for (const { turnKey, issueNumber, reason } of await poller.untilIdle())
      log.warn(
        { turn_key: turnKey, issue_number: issueNumber, reason },
        'a turn is still open; the next run continues it',
      );
    await leave('idle');
  },
});
