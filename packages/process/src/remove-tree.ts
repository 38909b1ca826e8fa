import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';

const runFile = promisify(execFile);
const SYSTEM_TOOLS = { PATH: '/bin:/usr/bin' };

/** Removes a tree, even if directories lack permissions (package managers leave them) or paths are too long. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await runFile('chmod', ['-R', 'u+rwx', '--', path], { env: SYSTEM_TOOLS }).catch(() => {});
    await runFile('rm', ['-rf', '--', path], { env: SYSTEM_TOOLS });
  }
}
