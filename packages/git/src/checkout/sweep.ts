import { chmodSync, type Dirent, readdirSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { codeOf } from '@mergexo/process';
import { removeEntry } from '../files/trash.js';
import type { TrackedFiles } from '../repository/tracked-files.js';

// Reading one folder at a time is twice as fast as asking for many at once; so many take a few milliseconds.
const FOLDERS_PER_BREATH = 100;

/**
 * Removes from a slot whatever has no name in the tree, ignored files, nested repositories and the contents of
 * submodules included, which `git clean` would leave. It opens no file and follows no link. The slot's own `.git` stays.
 * It goes by names alone, so it can run while git puts right what bears a name of the tree.
 */
export async function sweep(root: string, tracked: TrackedFiles): Promise<void> {
  const top = Buffer.from(root).toString('latin1');
  const folders = [''];
  const strangers: string[] = [];
  for (let count = 1; ; count += 1) {
    const folder = folders.pop();
    if (folder === undefined) break;
    for (const entry of readFolder(folder === '' ? top : `${top}/${folder}`)) {
      const name = entry.name.toString('latin1');
      const path = folder === '' ? name : `${folder}/${name}`;
      const action = path === '.git' ? 'keep' : classify(path, entry, tracked);
      if (action === 'visit') folders.push(path);
      if (action === 'remove') strangers.push(`${top}/${path}`);
    }
    if (count % FOLDERS_PER_BREATH === 0) await breathe();
  }
  await Promise.all(strangers.map(removeEntry));
}

function classify(
  path: string,
  entry: Dirent<Buffer>,
  { entries, folders }: TrackedFiles,
): 'keep' | 'visit' | 'remove' {
  const kind = entries.get(path);
  const isFolder = folders.has(path);
  // Nothing below a submodule is tracked, so going there empties it.
  if (entry.isDirectory() && (isFolder || kind === 'submodule')) return 'visit';
  return isFolder || kind !== undefined ? 'keep' : 'remove';
}

function readFolder(path: string): Dirent<Buffer>[] {
  const options = { withFileTypes: true, encoding: 'buffer' } as const;
  try {
    return readdirSync(toBytes(path), options);
  } catch (error) {
    // Git may just have put a file in its place.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    if (codeOf(error) !== 'EACCES') throw error;
    chmodSync(toBytes(path), 0o700);
    return readdirSync(toBytes(path), options);
  }
}

const toBytes = (path: string): Buffer => Buffer.from(path, 'latin1');
