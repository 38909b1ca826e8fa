import { homedir } from 'node:os';
import { parseArgs } from 'node:util';
import { isLoopbackHost, readSettings, type Settings } from '@mergexo/config';
import { Failure } from '@mergexo/core/basics';

export type DashboardConfig = Settings & {
  verbose: boolean;
  /** Asked for wherever it is set; beyond loopback it must be set. */
  password: string | undefined;
};

const MIN_PASSWORD = 12;

/** Arguments, environment and file, read once. */
export function readDashboardConfig(): DashboardConfig {
  const { values } = parseArgs({
    options: { config: { type: 'string' }, verbose: { type: 'boolean', default: false } },
  });
  const settings = readSettings({ configPath: values.config, env: process.env, homeDir: homedir() });
  const password = process.env['MERGEXO_DASHBOARD_PASSWORD'] || undefined;
  refuseOpenDoor(settings.config.dashboard.host, password);
  return { ...settings, verbose: values.verbose, password };
}

function refuseOpenDoor(host: string, password: string | undefined): void {
  if (password === undefined && !isLoopbackHost(host)) {
    throw new Failure(
      'unauthorized',
      `dashboard.host is ${host}, which others can reach, and there is no password. ` +
        'Set MERGEXO_DASHBOARD_PASSWORD, or dashboard.host = "127.0.0.1".',
    );
  }
  if (password !== undefined && password.length < MIN_PASSWORD) {
    throw new Failure(
      'unauthorized',
      `MERGEXO_DASHBOARD_PASSWORD is too short: give it at least ${MIN_PASSWORD} characters.`,
    );
  }
}
