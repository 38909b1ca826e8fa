import { homedir } from 'node:os';
import { type ConfigWatch, followConfig, type Reload, type Settings } from '@mergexo/config';
import { Failure, type Log } from '@mergexo/core/basics';
import type { Health } from './connect/health.js';

/** Reads the config file again after a change or SIGHUP, and records a file that cannot be used. */
export function startReloading(
  started: Settings,
  { log, health }: { log: Log; health: Pick<Health, 'report'> },
  cleanups: (() => unknown)[],
): ConfigWatch {
  const onReload = (reload: Reload): void => {
    if (reload.kind === 'rejected') {
      log.error(
        { reason: reload.reason },
        'the config file was not loaded; MergeXO keeps the last valid config',
      );
      health.report('config', new Failure('invalid-data', summarise(reload.reason)));
      return;
    }
    const { keys, needRestart } = reload;
    log.info({ keys, need_restart: needRestart }, 'the config file was loaded');
    if (needRestart.length > 0)
      health.report('config', new Failure('conflict', `${RESTART}: ${needRestart.join(', ')}`));
    else health.report('config');
  };
  const watch = followConfig(started, { env: process.env, homeDir: homedir() }, onReload);
  // Clears what an earlier process reported.
  health.report('config');
  cleanups.push(watch.stop);
  return watch;
}

const RESTART = 'restart MergeXO to apply these keys';

/** The first problem and the number of the others. `config check` lists all of them. */
function summarise(reason: string): string {
  const lines = reason.split('\n').filter((line) => line.trim() !== '');
  return lines.length <= 2
    ? lines.join(' ')
    : `${lines.slice(0, 2).join(' ')} (and ${lines.length - 2} more)`;
}
