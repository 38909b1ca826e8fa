import { randomUUID } from 'node:crypto';
import { lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '@mergexo/process';
import { splitPath } from './read-inside.js';

export type FileWritten = { kind: 'written' } | { kind: 'refused'; reason: string };

/** Writes a file inside the directory. Replaces a link at the file's path, but refuses a link among its folders. */
export async function writeInside(
  root: string,
  path: string,
  content: string | Buffer,
): Promise<FileWritten> {
  const parts = splitPath(path);
  if (parts === undefined || parts.some((part) => part.toLowerCase() === '.git'))
    return { kind: 'refused', reason: 'the path leads outside the working tree' };
  const folder = await makeFolders(root, parts.slice(0, -1));
  if (folder === undefined) return { kind: 'refused', reason: 'a link or file is in the way' };
  const target = join(root, ...parts);
  const fresh = join(folder, `.mergexo-${randomUUID()}`);
  try {
    await writeFile(fresh, content, { flag: 'wx', mode: 0o644 });
    await rename(fresh, target);
    return { kind: 'written' };
  } catch (error) {
    await rm(fresh, { force: true });
    if (codeOf(error) === 'EISDIR') return { kind: 'refused', reason: 'a directory has that name' };
    throw error;
  }
}

async function makeFolders(root: string, folders: readonly string[]): Promise<string | undefined> {
  let path = root;
  for (const folder of folders) {
    path = join(path, folder);
    try {
      await mkdir(path, { mode: 0o755 });
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      if (!(await lstat(path)).isDirectory()) return undefined;
    }
  }
  return path;
}
