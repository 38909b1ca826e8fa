import { homedir } from 'node:os';
import { parseArgs } from 'node:util';
import { readSettings, type Settings } from '@mergexo/config';
import { UsageError } from '@mergexo/core/basics';

export type WorkerConfig = Settings & { verbose: boolean; slots: number; failpoint: string | undefined };

/** Reads the arguments, the environment and mergexo.toml. */
export function readWorkerConfig(): WorkerConfig {
  const { values } = parseArgs({
    options: {
      config: { type: 'string' },
      slots: { type: 'string', default: '1' },
      verbose: { type: 'boolean', default: false },
    },
  });
  const slots = Number(values.slots);
  if (!Number.isInteger(slots) || slots < 1 || slots > 64) {
    throw new UsageError(`--slots must be a whole number from 1 to 64, not ${values.slots}.`);
  }
  const settings = readSettings({ configPath: values.config, env: process.env, homeDir: homedir() });
  return { ...settings, verbose: values.verbose, slots, failpoint: process.env['MERGEXO_FAILPOINT'] };
}
