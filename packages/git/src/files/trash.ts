import { randomUUID } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf, removeTree } from '@mergexo/process';

/** As `removeTree`, for names that are bytes, one character each (latin1). */
export async function removeEntry(path: string): Promise<void> {
  const bytes = Buffer.from(path, 'latin1');
  // Strings where possible: only they reach the tools that remove what Node cannot.
  const text = bytes.toString();
  if (Buffer.from(text).equals(bytes)) return removeTree(text);
  await rm(bytes, { recursive: true, force: true });
}

/**
 * Out of the way at once, removed afterwards: a git process that outlived its worker keeps writing into the directory it
 * stands in, wherever that is moved, and not into the one made anew.
 */
export async function discard(path: string): Promise<void> {
  const trash = join(dirname(path), `${TRASH}${randomUUID()}`);
  try {
    await rename(path, trash);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    return removeTree(path);
  }
  await throwAway(trash);
}

/** Puts what was made beside it in its place. After a crash between the two moves nothing is there, which is mended. */
export async function replaceTree(path: string, fresh: string): Promise<void> {
  const trash = join(dirname(path), `${TRASH}${randomUUID()}`);
  try {
    await rename(path, trash);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  await rename(fresh, path);
  await throwAway(trash);
}

/** What resists, another user's files for instance, stays in the trash: it must not keep anybody from going on. */
function throwAway(trash: string): Promise<void> {
  return removeTree(trash).catch(() => {});
}

/** What a crash left between the two steps. */
export async function removeTrash(dir: string): Promise<void> {
  const names = await readdir(dir).catch(() => []);
  await Promise.all(names.filter((name) => name.startsWith(TRASH)).map((name) => throwAway(join(dir, name))));
}

// No repository has such a name.
const TRASH = '~trash-';
