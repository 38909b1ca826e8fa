import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { codeOf } from './error-code.js';

const runFile = promisify(execFile);
const SYSTEM_TOOLS = { PATH: '/bin:/usr/bin' };

/** Removes whatever stands there, also directories that were closed or nested deeper than a path can be long. */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await runFile('chmod', ['-R', 'u+rwx', '--', path], { env: SYSTEM_TOOLS }).catch(() => {});
    await runFile('rm', ['-rf', '--', path], { env: SYSTEM_TOOLS });
  }
}

/**
 * Out of the way at once, removed afterwards: a git process that outlived its worker keeps writing into the directory it
 * stands in, wherever that is moved, and not into the one made anew.
 */
export async function discard(path: string): Promise<void> {
  const trash = join(dirname(path), `${TRASH}${randomUUID()}`);
  try {
    await rename(path, trash);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    return removeTree(path);
  }
  await removeTree(trash);
}

/** What a crash left between the two steps. */
export async function removeTrash(dir: string): Promise<void> {
  const names = await readdir(dir).catch(() => []);
  await Promise.all(
    names.filter((name) => name.startsWith(TRASH)).map((name) => removeTree(join(dir, name))),
  );
}

const TRASH = 'trash-';
