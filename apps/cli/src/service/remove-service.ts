import { rmSync } from 'node:fs';
import { Failure } from '@mergexo/core/basics';
import type { Installed } from './find-service.js';
import { LAUNCHD_TARGET } from './launchd-target.js';
import { askManager, type Env } from './run-manager.js';

/** Longer than workers need to return their turns. */
const STOP_LIMIT_MS = 180_000;

/** Stops and disables the service, then deletes its file. Without a service manager, deletes only the file. */
export async function removeService({ kind, path }: Installed, env: Env): Promise<void> {
  const command =
    kind === 'systemd'
      ? ['systemctl', '--user', 'disable', '--now', 'mergexo']
      : ['launchctl', 'bootout', LAUNCHD_TARGET];
  const answer = await askManager(command, env, STOP_LIMIT_MS);
  // A service that is not loaded needs no stop.
  const isStopped =
    answer.kind !== 'failed' || /not loaded|No such process|does not exist/i.test(answer.reason);
  if (!isStopped)
    throw new Failure(
      'unavailable',
      `\`${command.join(' ')}\` failed. Stop the service yourself, then repeat the command. ${answer.reason}`,
    );
  rmSync(path, { force: true });
  if (kind === 'systemd') await askManager(['systemctl', '--user', 'daemon-reload'], env);
}
