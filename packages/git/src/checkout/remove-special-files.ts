import { chmodSync, unlinkSync } from 'node:fs';
import { setImmediate as yieldToEvents } from 'node:timers/promises';
import { codeOf } from '@mergexo/process';
import { FOLDERS_PER_YIELD, readFolder } from '../files/read-folder.js';

/**
 * Removes pipes, sockets and devices from a slot. Call this before git runs in the slot, because git would wait forever
 * for a pipe called `.gitattributes` or `.gitignore`. Opens no file, follows no link, and skips the slot's own `.git`.
 */
export async function removeSpecialFiles(root: string): Promise<void> {
  const top = Buffer.from(root).toString('latin1');
  const folders = [top];
  for (let count = 1; ; count += 1) {
    const folder = folders.pop();
    if (folder === undefined) return;
    for (const entry of readFolder(folder)) {
      const path = `${folder}/${entry.name.toString('latin1')}`;
      if (path === `${top}/.git` || entry.isFile() || entry.isSymbolicLink()) continue;
      if (entry.isDirectory()) folders.push(path);
      else unlink(folder, path);
    }
    if (count % FOLDERS_PER_YIELD === 0) await yieldToEvents();
  }
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
