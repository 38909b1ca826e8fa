import { homedir } from 'node:os';
import { parseArgs } from 'node:util';
import { readSettings, type Settings } from '@mergexo/config';

export type PollerConfig = Settings & { verbose: boolean; once: boolean; failpoint: string | undefined };

/** Reads the arguments, the environment and the configuration file. */
export function readPollerConfig(): PollerConfig {
  const { values } = parseArgs({
    options: {
      config: { type: 'string' },
      once: { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
    },
  });
  const settings = readSettings({ configPath: values.config, env: process.env, homeDir: homedir() });
  return {
    ...settings,
    verbose: values.verbose,
    once: values.once,
    failpoint: process.env['MERGEXO_FAILPOINT'],
  };
}
