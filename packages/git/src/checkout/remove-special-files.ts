import { chmodSync, unlinkSync } from 'node:fs';
import { codeOf, inSlices } from '@mergexo/process';
import { walkFolders } from '../files/walk-folders.js';

/**
 * Removes pipes, sockets and devices from a slot. Call this before git runs in the slot, because git would wait forever
 * for a pipe called `.gitattributes` or `.gitignore`. Opens no file, follows no link, and skips the slot's own `.git`.
 * Throws `UnusableCheckout` for a slot that git would take too long to read.
 */
export async function removeSpecialFiles(root: string, maxFiles: number): Promise<void> {
  const found = walkFolders(root, { enters: () => true, maxEntries: maxFiles });
  await inSlices(found, ({ folder, entry }) => {
    if (entry.isFile() || entry.isSymbolicLink() || entry.isDirectory()) return;
    unlink(folder, `${folder}/${entry.name}`);
  });
}

function unlink(folder: string, path: string): void {
  try {
    unlinkSync(Buffer.from(path, 'latin1'));
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error;
    chmodSync(Buffer.from(folder, 'latin1'), 0o700);
    unlinkSync(Buffer.from(path, 'latin1'));
  }
}
