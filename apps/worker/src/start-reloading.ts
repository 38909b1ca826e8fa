import { homedir } from 'node:os';
import { followConfig, type Settings } from '@mergexo/config';
import type { Log } from '@mergexo/core/basics';
import type { WorkerNotice } from '@mergexo/core/ledger';

export type Reloading = {
  /** The settings for the next turn. */
  settings(): Settings;
  /** Reads the file now. */
  reload(): void;
  /** What operators must know about the file. */
  notices(): readonly WorkerNotice[];
  stop(): void;
};

/** Reads the config file again after a change or SIGHUP. The next turn uses the new values. */
export function startReloading(started: Settings, log: Log): Reloading {
  let notices: readonly WorkerNotice[] = [];
  const watch = followConfig(started, { env: process.env, homeDir: homedir() }, (reload) => {
    notices = reload.kind === 'rejected' ? ['config-not-loaded'] : [];
    if (reload.kind === 'rejected')
      log.error(
        { reason: reload.reason },
        'the config file was not loaded; this worker keeps the last valid config',
      );
    else log.info({ keys: reload.keys, need_restart: reload.needRestart }, 'the config file was loaded');
  });
  return { ...watch, notices: () => notices };
}
