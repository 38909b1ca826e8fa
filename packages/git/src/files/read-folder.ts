import { chmodSync, type Dirent, readdirSync } from 'node:fs';
import { codeOf } from '@mergexo/process';

/** Lists a folder of a slot, and restores missing permissions. The path is bytes, one character each (latin1). */
export function readFolder(path: string): Dirent<Buffer>[] {
  const options = { withFileTypes: true, encoding: 'buffer' } as const;
  const bytes = Buffer.from(path, 'latin1');
  try {
    return readdirSync(bytes, options);
  } catch (error) {
    // Git may have removed the folder, or replaced it with a file, since it was listed.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
    if (codeOf(error) !== 'EACCES') throw error;
    chmodSync(bytes, 0o700);
    return readdirSync(bytes, options);
  }
}

/** Reading folders one by one is twice as fast as reading them in parallel. A batch takes a few milliseconds. */
export const FOLDERS_PER_YIELD = 100;
