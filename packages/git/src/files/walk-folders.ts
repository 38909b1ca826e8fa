import { chmodSync, type Dir, type Dirent, opendirSync } from 'node:fs';
import { Failure } from '@mergexo/core/basics';
import { codeOf } from '@mergexo/process';

/** Thrown for a slot that MergeXO does not read, because of the files that a program left there. */
export class UnusableCheckout extends Failure {
  constructor(reason: string) {
    super('invalid-data', `the checkout contains ${reason}; remove them or create fewer`);
  }
}

export const tooManyFiles = (limit: number) => new UnusableCheckout(`more than ${limit} files`);

/** The longest path that a program can use at once. Relative steps can create longer ones. */
const MAX_PATH = process.platform === 'darwin' ? 1_023 : 4_095;

type Found = {
  /** The path of the folder that contains the entry. Paths and names are bytes, one character each (latin1). */
  folder: string;
  /** The path of the entry, relative to the top. */
  path: string;
  entry: Dirent;
};

type Walk = {
  /** Decides whether the walk continues in a directory. */
  enters: (path: string, entry: Dirent) => boolean;
  maxEntries: number;
};

/**
 * Lists a slot without its own `.git`, one entry at a time, because a folder may contain millions of files. Restores
 * missing permissions of folders. Follows no link. Visit the entries in slices, so that other work can run.
 */
export function* walkFolders(root: string, { enters, maxEntries }: Walk): Generator<Found> {
  const top = Buffer.from(root).toString('latin1');
  const folders = [''];
  let count = 0;
  for (let inside = folders.pop(); inside !== undefined; inside = folders.pop()) {
    const folder = inside === '' ? top : `${top}/${inside}`;
    for (const entry of readFolder(folder)) {
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`;
      if (path === '.git') continue;
      count += 1;
      if (count > maxEntries) throw tooManyFiles(maxEntries);
      if (folder.length + entry.name.length >= MAX_PATH)
        throw new UnusableCheckout(`paths longer than ${MAX_PATH} bytes`);
      if (entry.isDirectory() && enters(path, entry)) folders.push(path);
      yield { folder, path, entry };
    }
  }
}

function* readFolder(path: string): Generator<Dirent> {
  const folder = openFolder(Buffer.from(path, 'latin1'));
  if (folder === undefined) return;
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) yield entry;
  } finally {
    folder.closeSync();
  }
}

function openFolder(path: Buffer): Dir | undefined {
  const options = { encoding: 'latin1', bufferSize: 256 } as const;
  try {
    return opendirSync(path, options);
  } catch (error) {
    // Git may have removed the folder, or replaced it with a file, since it was listed.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined;
    if (codeOf(error) !== 'EACCES') throw error;
    chmodSync(path, 0o700);
    return opendirSync(path, options);
  }
}
