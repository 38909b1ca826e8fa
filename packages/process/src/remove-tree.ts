import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';

const runFile = promisify(execFile);
const SYSTEM_TOOLS = { PATH: '/bin:/usr/bin' };

/** Also removes directories without permissions, as package managers leave them, and trees deeper than a path can be long. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await runFile('chmod', ['-R', 'u+rwx', '--', path], { env: SYSTEM_TOOLS }).catch(() => {});
    await runFile('rm', ['-rf', '--', path], { env: SYSTEM_TOOLS });
  }
}
