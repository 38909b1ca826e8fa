import type { Dirent } from 'node:fs';
import { chmod, readdir, rm } from 'node:fs/promises';
import { codeOf } from './error-code.js';
import { removeTree } from './remove-tree.js';
import type { TrackedFiles } from './tracked-files.js';

/**
 * Removes from a slot whatever has no name in the tree, ignored files, nested repositories and the contents of
 * submodules included, which `git clean` would leave. It opens no file and follows no link. The slot's own `.git` stays.
 * It goes by names alone, so it can run while git puts right what bears a name of the tree.
 */
export async function sweep(root: string, { entries, folders }: TrackedFiles): Promise<void> {
  const top = Buffer.from(root).toString('latin1');
  const visit = async (folder: string): Promise<void> => {
    const found = await readFolder(folder === '' ? top : `${top}/${folder}`);
    await Promise.all(found.map((entry) => judge(folder, entry)));
  };
  const judge = async (folder: string, entry: Dirent<Buffer>): Promise<void> => {
    const name = entry.name.toString('latin1');
    if (folder === '' && name === '.git') return;
    const path = folder === '' ? name : `${folder}/${name}`;
    const kind = entries.get(path);
    // Nothing below a submodule is tracked, so going there empties it.
    if (entry.isDirectory() && (kind === 'submodule' || folders.has(path))) return visit(path);
    if (kind === undefined && !folders.has(path)) await remove(`${top}/${path}`, entry);
  };
  await visit('');
}

async function readFolder(path: string): Promise<Dirent<Buffer>[]> {
  const options = { withFileTypes: true, encoding: 'buffer' } as const;
  try {
    return await readdir(toBytes(path), options);
  } catch (error) {
    // Git may just have put a file in its place.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return [];
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
