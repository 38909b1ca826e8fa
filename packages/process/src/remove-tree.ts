import { spawn } from 'node:child_process';
import { lstat } from 'node:fs/promises';

const SYSTEM_TOOLS = { PATH: '/bin:/usr/bin:/run/current-system/sw/bin' };
/** A path has at most 4 KiB, and the kernel accepts at least 2 MiB of arguments. */
const PATHS_PER_PROCESS = 200;

/**
 * Removes a tree, even if directories lack permissions (package managers leave them) or paths are too long. Another
 * process removes the files: a folder with a million files would stall this program and take gigabytes of its memory.
 */
export function removeTree(path: string): Promise<void> {
  return removeTrees([path]);
}

/** Removes many trees with few processes. */
export async function removeTrees(paths: readonly string[]): Promise<void> {
  for (let start = 0; start < paths.length; start += PATHS_PER_PROCESS) {
    const some = paths.slice(start, start + PATHS_PER_PROCESS);
    try {
      await runTool('rm', ['-rf', '--', ...some]);
    } catch {
      for (const path of some) await unlockTree(path);
      await runTool('rm', ['-rf', '--', ...some]);
    }
  }
}

/** Restores the owner's permissions in a directory. Changes nothing if the path is a link. */
export async function unlockTree(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  // `chmod -R` follows no link inside the directory, but it follows a link that is its argument.
  if (found?.isDirectory() !== true) return;
  await runTool('chmod', ['-R', 'u+rwx', '--', path]).catch(() => {});
}

/** Discards the output, which may have a line for each of millions of files. */
function runTool(tool: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(tool, args, { env: SYSTEM_TOOLS, stdio: 'ignore' });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${tool} failed on ${args.at(-1)} (exit code ${code}); check its owner`));
    });
  });
}
