import { homedir } from 'node:os';
import { parseArgs } from 'node:util';
import { readSettings, type Settings } from '@mergexo/config';
import { Failure, isLoopbackHost } from '@mergexo/core/basics';

export type DashboardConfig = Settings & {
  verbose: boolean;
  /** The dashboard password, which is required unless the host is a loopback address. */
  password: string | undefined;
};

const MIN_PASSWORD = 12;

/** Reads the arguments, the environment and the config file. */
export function readDashboardConfig(): DashboardConfig {
  const { values } = parseArgs({
    options: { config: { type: 'string' }, verbose: { type: 'boolean', default: false } },
  });
  const settings = readSettings({ configPath: values.config, env: process.env, homeDir: homedir() });
  const password = process.env['MERGEXO_DASHBOARD_PASSWORD'] || undefined;
  checkPassword(settings.config.dashboard.host, password);
  return { ...settings, verbose: values.verbose, password };
}

function checkPassword(host: string, password: string | undefined): void {
  if (password === undefined && !isLoopbackHost(host)) {
    throw new Failure(
      'unauthorized',
      `dashboard.host is ${host}, which other machines can reach, but no password is set. ` +
        'Set MERGEXO_DASHBOARD_PASSWORD, or dashboard.host = "127.0.0.1".',
    );
  }
  if (password !== undefined && password.length < MIN_PASSWORD) {
    throw new Failure(
      'unauthorized',
      `MERGEXO_DASHBOARD_PASSWORD is too short: use at least ${MIN_PASSWORD} characters.`,
    );
  }
}
