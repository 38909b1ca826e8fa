import { homedir } from 'node:os';
import { type ConfigWatch, readSettings, type Settings, watchConfig } from '@mergexo/config';
import type { Log } from '@mergexo/core/basics';

/** Reads the config file again after a change or SIGHUP. The next turn uses the new values. */
export function startReloading(started: Settings, log: Log): ConfigWatch {
  const { configPath, redact } = started;
  const watch = watchConfig({
    started,
    read: () => readSettings({ configPath, env: process.env, homeDir: homedir(), redact }),
    onReload: (reload) => {
      if (reload.kind === 'rejected')
        log.error(
          { reason: reload.reason },
          'the config file was not loaded; this worker keeps the last valid config',
        );
      else log.info({ keys: reload.keys, need_restart: reload.needRestart }, 'the config file was loaded');
    },
  });
  // In a terminal, SIGHUP means that the terminal was closed, and ends the program as usual.
  if (!process.stdout.isTTY) process.on('SIGHUP', () => watch.reload());
  return watch;
}
