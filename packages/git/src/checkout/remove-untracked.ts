import type { Dirent } from 'node:fs';
import { setImmediate as yieldToEvents } from 'node:timers/promises';
import { FOLDERS_PER_YIELD, readFolder } from '../files/read-folder.js';
import { removeEntry } from '../files/trash.js';
import type { TrackedFiles } from '../repository/tracked-files.js';

/**
 * Removes files from a slot that are not in the tree, including ignored files, nested repositories and the contents of
 * submodules, which `git clean` would leave. Opens no file, follows no link, and keeps the slot's own `.git`. Compares
 * only names, so git may check out the files of the tree at the same time.
 */
export async function removeUntracked(root: string, tracked: TrackedFiles): Promise<void> {
  const top = Buffer.from(root).toString('latin1');
  const folders = [''];
  const untracked: string[] = [];
  for (let count = 1; ; count += 1) {
    const folder = folders.pop();
    if (folder === undefined) break;
    for (const entry of readFolder(folder === '' ? top : `${top}/${folder}`)) {
      const name = entry.name.toString('latin1');
      const path = folder === '' ? name : `${folder}/${name}`;
      const action = path === '.git' ? 'keep' : classify(path, entry, tracked);
      if (action === 'visit') folders.push(path);
      if (action === 'remove') untracked.push(`${top}/${path}`);
    }
    if (count % FOLDERS_PER_YIELD === 0) await yieldToEvents();
  }
  await Promise.all(untracked.map(removeEntry));
}

function classify(
  path: string,
  entry: Dirent<Buffer>,
  { entries, folders }: TrackedFiles,
): 'keep' | 'visit' | 'remove' {
  const kind = entries.get(path);
  const isFolder = folders.has(path);
  // No file in a submodule is tracked, so visiting the submodule empties it.
  if (entry.isDirectory() && (isFolder || kind === 'submodule')) return 'visit';
  return isFolder || kind !== undefined ? 'keep' : 'remove';
}
