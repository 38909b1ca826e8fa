import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { Failure } from '@mergexo/core/basics';
import { PLIST_PATH, UNIT_PATH } from './render-unit.js';

const run = promisify(execFile);
/** Longer than workers need to return their turns. */
const STOP_LIMIT_MS = 180_000;

export type Installed = { kind: 'systemd' | 'launchd'; path: string };

/** Finds the service file that `service print` told the user to save. Ignores a file of the same name that MergeXO did not write. */
export function findService(homeDir: string): Installed | undefined {
  const candidates = [
    { kind: 'systemd' as const, path: UNIT_PATH.replace('~', homeDir), mark: 'Description=MergeXO' },
    {
      kind: 'launchd' as const,
      path: PLIST_PATH.replace('~', homeDir),
      mark: '<string>org.mergexo.up</string>',
    },
  ];
  return candidates.find(({ path, mark }) => read(path)?.includes(mark));
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Stops and disables the service, then deletes its file. Without a service manager, deletes only the file. */
export async function removeService(
  { kind, path }: Installed,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const command =
    kind === 'systemd'
      ? ['systemctl', '--user', 'disable', '--now', 'mergexo']
      : ['launchctl', 'bootout', `gui/${process.getuid?.() ?? 0}/org.mergexo.up`];
  const [program = '', ...args] = command;
  try {
    await run(program, args, { timeout: STOP_LIMIT_MS, env: { ...env } });
  } catch (error) {
    const { code, stderr } = Object(error);
    // A service that is not loaded needs no stop.
    const isStopped = code === 'ENOENT' || /not loaded|No such process|does not exist/i.test(String(stderr));
    if (!isStopped)
      throw new Failure(
        'unavailable',
        `\`${command.join(' ')}\` failed. Stop the service yourself, then repeat the command. ${String(stderr).trim()}`,
        { cause: error },
      );
  }
  rmSync(path, { force: true });
}
