import { homedir } from 'node:os';
import { parseArgs } from 'node:util';
import { readSettings, type Settings } from '@mergexo/config';

export type PollerConfig = Settings & { verbose: boolean };

/** Arguments, environment and file, read once. */
export function readPollerConfig(): PollerConfig {
  const { values } = parseArgs({
    options: { config: { type: 'string' }, verbose: { type: 'boolean', default: false } },
  });
  const settings = readSettings({ configPath: values.config, env: process.env, homeDir: homedir() });
  return { ...settings, verbose: values.verbose };
}
