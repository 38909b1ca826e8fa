import { inSlices } from '@mergexo/process';
import { removeEntries } from '../files/trash.js';
import { tooManyFiles, walkFolders } from '../files/walk-folders.js';
import type { TrackedFiles } from '../repository/tracked-files.js';

/** Above this number, a new checkout is faster than removing the files one by one. */
const MAX_UNTRACKED = 50_000;

/**
 * Removes every file that is in the slot but not in the tree. These include ignored files, nested
 * repositories and the contents of submodules, which `git clean` would keep. Opens no file, follows no link,
 * and keeps the slot's own `.git`. Compares only names, so git may check out the files of the tree at the
 * same time. Throws `UnusableCheckout` if the slot is not worth cleaning.
 */
export async function removeUntracked(
  root: string,
  { entries, folders }: TrackedFiles,
  maxFiles = MAX_UNTRACKED,
): Promise<void> {
  const untracked: string[] = [];
  const found = walkFolders(root, {
    // No file in a submodule is tracked, so visiting the submodule empties it.
    enters: (path) => folders.has(path) || entries.get(path) === 'submodule',
    maxEntries: Number.POSITIVE_INFINITY,
  });
  await inSlices(found, ({ folder, path, entry }) => {
    if (folders.has(path) || entries.has(path)) return;
    untracked.push(`${folder}/${entry.name}`);
    if (untracked.length > maxFiles) throw tooManyFiles(maxFiles);
  });
  await removeEntries(untracked);
}
