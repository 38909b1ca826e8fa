import { randomUUID } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, removeTree } from '@mergexo/process';

/** Like `removeTree`, but for a path of raw bytes, decoded as latin1 (one character per byte). */
export async function removeEntry(path: string): Promise<void> {
  const bytes = Buffer.from(path, 'latin1');
  // `removeTree` gets a string if possible, because the tools that it falls back to accept only strings.
  const text = bytes.toString();
  if (Buffer.from(text).equals(bytes)) return removeTree(text);
  await rm(bytes, { recursive: true, force: true });
}

/**
 * Moves the directory aside and then removes it. A git process that outlived its worker keeps writing into the moved
 * directory and not into its replacement.
 */
export async function discard(path: string): Promise<void> {
  try {
    await emptyTrash(await moveToTrash(path));
  } catch {
    await removeTree(path);
  }
}

/**
 * Replaces a directory with a new one. If the process crashes between the two moves, the path does not exist, and
 * callers create the directory again.
 */
export async function replaceTree(path: string, fresh: string): Promise<void> {
  const trash = await moveToTrash(path);
  await rename(fresh, path);
  await emptyTrash(trash);
}

async function moveToTrash(path: string): Promise<string> {
  const trash = join(dirname(path), `${TRASH}${randomUUID()}`);
  try {
    await rename(path, trash);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  return trash;
}

/**
 * Empties the trash. Files that cannot be removed, such as another user's, stay there, because they must not stop the
 * caller.
 */
function emptyTrash(trash: string): Promise<void> {
  return removeTree(trash).catch(() => {});
}

/** Removes directories that a crash left in the trash. */
export async function removeTrash(dir: string): Promise<void> {
  const names = await readdir(dir).catch(() => []);
  await Promise.all(
    names.filter((name) => name.startsWith(TRASH)).map((name) => emptyTrash(join(dir, name))),
  );
}

// A prefix that no repository name can have.
const TRASH = '~trash-';
