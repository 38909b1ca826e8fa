import { execFile } from 'node:child_process';
import { lstat, rm } from 'node:fs/promises';
import { promisify } from 'node:util';

const runFile = promisify(execFile);
const SYSTEM_TOOLS = { PATH: '/bin:/usr/bin' };

/** Removes a tree, even if directories lack permissions (package managers leave them) or paths are too long. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await unlockTree(path);
    await runFile('rm', ['-rf', '--', path], { env: SYSTEM_TOOLS });
  }
}

/** Restores the owner's permissions in a directory. Changes nothing if the path is a link. */
export async function unlockTree(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  // `chmod -R` follows no link inside the directory, but it follows a link that is its argument.
  if (found?.isDirectory() !== true) return;
  await runFile('chmod', ['-R', 'u+rwx', '--', path], { env: SYSTEM_TOOLS }).catch(() => {});
}
