import { randomUUID } from 'node:crypto';
import { chmod, lstat, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, removeTree, removeTrees } from '@mergexo/process';

/** Like `removeTrees`, but for paths of raw bytes, decoded as latin1 (one character per byte). */
export async function removeEntries(paths: readonly string[]): Promise<void> {
  await removeTrees(await Promise.all(paths.map(giveTextPath)));
}

/** Renames an entry whose path is not UTF-8, because program arguments must be text. */
async function giveTextPath(path: string): Promise<string> {
  const bytes = Buffer.from(path, 'latin1');
  const text = bytes.toString();
  if (Buffer.from(text).equals(bytes)) return text;
  const found = await lstat(bytes);
  // Moving a directory needs permission to write to it.
  if (found.isDirectory()) await chmod(bytes, 0o700);
  const trash = join(findTextFolder(text), `${TRASH}${randomUUID()}`);
  await rename(bytes, trash);
  return trash;
}

/** Returns the deepest folder of the path before the first byte that is not UTF-8, which became U+FFFD. */
function findTextFolder(text: string): string {
  return dirname(`${text.slice(0, text.indexOf('\uFFFD'))}x`);
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
