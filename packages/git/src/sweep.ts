import type { Dirent } from 'node:fs';
import { chmod, readdir, rm } from 'node:fs/promises';
import { codeOf } from './error-code.js';
import { removeTree } from './remove-tree.js';
import type { TrackedFiles } from './tracked-files.js';

/**
 * Removes from a slot whatever is not a file of the tree, ignored files, nested repositories and the contents of
 * submodules included, which `git clean` would leave. It opens no file and follows no link. The slot's own `.git` stays.
 */
export async function sweep(root: string, tracked: TrackedFiles): Promise<void> {
  const top = Buffer.from(root).toString('latin1');
  const isSubmodule = (path: string) => tracked.entries.get(path) === 'submodule';
  const visit = async (folder: string): Promise<void> => {
    const entries = await readFolder(folder === '' ? top : `${top}/${folder}`);
    await Promise.all(entries.map((entry) => judge(folder, entry)));
  };
  const judge = async (folder: string, entry: Dirent<Buffer>): Promise<void> => {
    const name = entry.name.toString('latin1');
    if (folder === '' && name === '.git') return;
    const path = folder === '' ? name : `${folder}/${name}`;
    // Nothing below a submodule is tracked, so going there empties it.
    if (entry.isDirectory() && (tracked.folders.has(path) || isSubmodule(path))) return visit(path);
    if (!isAsTracked(entry, path, tracked)) await remove(`${top}/${path}`, entry);
  };
  await visit('');
}

function isAsTracked(entry: Dirent<Buffer>, path: string, { entries }: TrackedFiles): boolean {
  const kind = entries.get(path);
  return (kind === 'file' && entry.isFile()) || (kind === 'link' && entry.isSymbolicLink());
}

async function readFolder(path: string): Promise<Dirent<Buffer>[]> {
  const options = { withFileTypes: true, encoding: 'buffer' } as const;
  try {
    return await readdir(toBytes(path), options);
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error;
    await chmod(toBytes(path), 0o700);
    return readdir(toBytes(path), options);
  }
}

async function remove(path: string, entry: Dirent<Buffer>): Promise<void> {
  // Strings where possible: only they reach the tools that remove what Node cannot.
  const text = Buffer.from(path, 'latin1').toString();
  const isText = Buffer.from(text).equals(toBytes(path));
  if (isText && entry.isDirectory()) return removeTree(text);
  await rm(toBytes(path), { recursive: true, force: true });
}

const toBytes = (path: string): Buffer => Buffer.from(path, 'latin1');
