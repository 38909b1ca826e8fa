import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSettings, readXdg } from '@mergexo/config';
import { MERGEXO_CLI, UsageError } from '@mergexo/core/basics';
import type { Context } from '../context.js';
import { PLIST_PATH, removeNpmPaths, renderPlist, renderUnit, UNIT_PATH } from './render-unit.js';

export type ServiceKind = 'launchd' | 'systemd';
export type ServiceOptions = { launchd?: boolean; systemd?: boolean };
export type ServiceFile = { kind: ServiceKind; path: string; file: string };

const CLI = fileURLToPath(new URL('../../bin/mergexo.js', import.meta.url));
/** Time that `up` needs after the workers' grace period to return turns and to stop the poller, dashboard and Redis. */
const STOP_MARGIN_SECONDS = 75;

/** Builds the service file for `mergexo up`. The path starts with `~`. */
export function buildService(context: Context, options: ServiceOptions = {}): ServiceFile {
  const kind = chooseKind(options);
  const { config, configPath } = readSettings(context);
  const service = {
    argv: [process.execPath, CLI, 'up', '--config', configPath],
    // The directory in which somebody ran this command may be deleted one day.
    workingDirectory: dirname(configPath),
    searchPath: removeNpmPaths(context.env['PATH'] ?? ''),
    dataHome: readXdg(context.env['XDG_DATA_HOME']),
    logFile: join(config.runtime.baseDir, 'up.log'),
    stopSeconds: Math.ceil(config.runtime.drainGraceSeconds) + STOP_MARGIN_SECONDS,
  };
  const file = kind === 'launchd' ? renderPlist(service) : renderUnit(service);
  return { kind, path: kind === 'launchd' ? PLIST_PATH : UNIT_PATH, file };
}

/** Throws if npm may delete this copy of MergeXO, because the service would then no longer start. */
export function refuseTemporaryCopy(path = CLI): void {
  if (!path.split('/').includes('_npx')) return;
  throw new UsageError(
    `This copy of MergeXO is in npm's cache (${path}), and npm may delete it. Install it with \`npm install -g mergexo\`, then run \`${MERGEXO_CLI} service install\`.`,
  );
}

export function chooseKind({ launchd, systemd }: ServiceOptions): ServiceKind {
  if (launchd && systemd) throw new UsageError('Use --launchd or --systemd, not both.');
  if (launchd) return 'launchd';
  if (systemd) return 'systemd';
  return process.platform === 'darwin' ? 'launchd' : 'systemd';
}
