import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeEntries } from '../files/trash.js';
import { mustRun, type Repository } from '../run/run-git.js';
import type { WorkingTree } from './working-tree.js';

/** Lists the submodules in the trusted index. Paths are latin1 strings: each character is one byte. */
export async function listSubmodules(
  repository: Repository,
  { slot, trusted }: WorkingTree,
): Promise<string[]> {
  const stdout = await mustRun(repository, {
    action: `listing the submodules of ${slot}`,
    args: ['ls-files', '-z', '--stage'],
    indexFile: join(trusted, 'index'),
  });
  const records = stdout.toString('latin1').split('\0');
  return records
    .filter((record) => record.startsWith('160000'))
    .map((record) => record.slice(record.indexOf('\t') + 1));
}

/**
 * Removes nested repositories. Otherwise git would read their configuration, and commit each as a gitlink to a commit
 * that nobody else has.
 */
export async function unnest(slot: string, folders: readonly string[]): Promise<void> {
  const top = Buffer.from(slot).toString('latin1');
  for (const folder of folders) {
    if (await isRealFolder(top, folder)) await removeEntries([`${top}/${folder}/.git`]);
  }
}

/**
 * True if the folder is a real directory. Names are latin1 strings, in which each character is one byte, because git
 * does not define an encoding.
 */
async function isRealFolder(top: string, folder: string): Promise<boolean> {
  let path = top;
  for (const part of folder.split('/')) {
    path = `${path}/${part}`;
    const stats = await lstat(Buffer.from(path, 'latin1')).catch(() => undefined);
    if (part === '' || part === '..' || stats?.isDirectory() !== true) return false;
  }
  return true;
}
