import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSettings } from '@mergexo/config';
import { UsageError } from '@mergexo/core/basics';
import type { Context } from '../context.js';
import { PLIST_PATH, removeNpmPaths, renderPlist, renderUnit, UNIT_PATH } from '../service/render-unit.js';

export type ServiceOptions = { launchd?: boolean; systemd?: boolean };

const CLI = fileURLToPath(new URL('../../bin/mergexo.js', import.meta.url));
/** Time that `up` needs after the workers' grace period to return turns and to stop the poller, dashboard and Redis. */
const STOP_MARGIN_SECONDS = 75;

/** Prints a service file for `mergexo up`. The comments in the file explain how to install it. */
export function printService(context: Context, options: ServiceOptions): void {
  const kind = chooseKind(options);
  const { config, configPath } = readSettings(context);
  const service = {
    argv: [process.execPath, CLI, 'up', '--config', configPath],
    workingDirectory: process.cwd(),
    searchPath: removeNpmPaths(context.env['PATH'] ?? ''),
    logFile: join(config.runtime.baseDir, 'up.log'),
    stopSeconds: Math.ceil(config.runtime.drainGraceSeconds) + STOP_MARGIN_SECONDS,
  };
  const file = kind === 'launchd' ? renderPlist(service) : renderUnit(service);
  const path = kind === 'launchd' ? PLIST_PATH : UNIT_PATH;
  context.print({ ok: true, kind, path, file }, () => file.trimEnd().split('\n'));
}

function chooseKind({ launchd, systemd }: ServiceOptions): 'launchd' | 'systemd' {
  if (launchd && systemd) throw new UsageError('Use --launchd or --systemd, not both.');
  if (launchd) return 'launchd';
  if (systemd) return 'systemd';
  return process.platform === 'darwin' ? 'launchd' : 'systemd';
}
