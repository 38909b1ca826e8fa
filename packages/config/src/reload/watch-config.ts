import { statSync } from 'node:fs';
import type { Settings } from '../read-settings.js';
import { compareConfigs } from './compare-configs.js';

/** How often the file is checked. A change must be this old, because an editor may still be writing. */
const CHECK_MS = 2_000;

export type Reload =
  | { kind: 'reloaded'; keys: readonly string[]; needRestart: readonly string[] }
  /** The file cannot be used. The running config stays. */
  | { kind: 'rejected'; reason: string };

export type ConfigWatch = {
  /** The settings with every change that needs no restart. */
  settings(): Settings;
  /** Reads the file now, as after SIGHUP. */
  reload(): void;
  stop(): void;
};

/** Watches the config file. A file that cannot be used changes nothing. Reports every reload. */
export function watchConfig(options: {
  started: Settings;
  /** Reads and validates the whole file, or throws. */
  read: () => Settings;
  onReload: (reload: Reload) => void;
  checkMs?: number;
}): ConfigWatch {
  const { started, read, onReload, checkMs = CHECK_MS } = options;
  let current = started;
  let loaded = markFile(started.configPath);
  let seen = loaded;
  const reload = (): void => {
    loaded = markFile(started.configPath);
    seen = loaded;
    try {
      const next = read();
      const change = compareConfigs(started.config, next.config);
      const { reloaded: keys } = compareConfigs(current.config, next.config);
      current = { ...current, webhook: next.webhook, config: change.config };
      onReload({ kind: 'reloaded', keys, needRestart: change.needRestart });
    } catch (error) {
      onReload({ kind: 'rejected', reason: error instanceof Error ? error.message : String(error) });
    }
  };
  const timer = setInterval(() => {
    const now = markFile(started.configPath);
    if (now !== loaded && now === seen) reload();
    seen = now;
  }, checkMs).unref();
  return { settings: () => current, reload, stop: () => clearInterval(timer) };
}

/** Identifies a version of the file, even if an editor replaces the file. */
function markFile(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? 'missing' : [stats.ino, stats.size, stats.mtimeMs].join(' ');
}
