import { readSettings, type Settings } from '../read-settings.js';
import { type ConfigWatch, type Reload, watchConfig } from './watch-config.js';

/** Reads the config file of a program again after a change or SIGHUP. */
export function followConfig(
  started: Settings,
  { env, homeDir }: Pick<Parameters<typeof readSettings>[0], 'env' | 'homeDir'>,
  onReload: (reload: Reload) => void,
): ConfigWatch {
  const { configPath, redact } = started;
  const read = (): Settings => readSettings({ configPath, env, homeDir, redact });
  const watch = watchConfig({ started, read, onReload });
  const onSignal = (): void => watch.reload();
  // In a terminal, SIGHUP means that the terminal was closed, and ends the program as usual.
  if (!process.stdout.isTTY) process.on('SIGHUP', onSignal);
  return {
    ...watch,
    stop: () => {
      watch.stop();
      process.off('SIGHUP', onSignal);
    },
  };
}
