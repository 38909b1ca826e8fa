import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '@mergexo/process';
import { findObstacle } from '../files/read-inside.js';
import { removeEntries } from '../files/trash.js';
import { writeInside } from '../files/write-inside.js';
import type { GitTools } from '../repository/git-tools.js';
import { mustRun } from '../run/run-git.js';
import type { WorkingTree } from './working-tree.js';

/** Git compares every file with every pattern, so a longer list would stall the turn. */
const MAX_PATTERNS = 10_000;

/**
 * Excludes the untracked files and folders of the slot from all later commits of the turn. Call this after
 * setup. Returns false if the slot contains too many of them.
 */
export async function excludeCreated(
  tools: GitTools,
  tree: WorkingTree,
  signal: AbortSignal,
): Promise<boolean> {
  const stdout = await mustRun(
    { run: tools.run, gitDir: tree.trusted, signal },
    {
      action: `listing the files that setup created in ${tree.slot}`,
      // Lists a folder without tracked files as one entry, and includes ignored files, because the agent may change
      // .gitignore.
      args: ['ls-files', '-z', '--others', '--directory', '--no-empty-directory'],
      workTree: tree.slot,
      indexFile: join(tree.trusted, 'index'),
    },
  );
  const paths = stdout.toString('latin1').split('\0').filter(Boolean);
  if (paths.length > MAX_PATTERNS) return false;
  // Such a file would hide the agent's new files.
  const top = Buffer.from(tree.slot).toString('latin1');
  const ignores = paths.filter((path) => IGNORE_FILE.test(path));
  await removeEntries(ignores.map((path) => `${top}/${path}`));
  await writeFile(join(tree.trusted, CREATED), stdout);
  const patterns = Buffer.from(paths.map((path) => `${toPattern(path)}\n`).join(''), 'latin1');
  await writeFile(join(tree.trusted, EXCLUDE), patterns);
  // Makes the agent's own `git status` and `git add` skip the files too.
  if ((await findObstacle(tree.slot, ['.git'])) === undefined)
    await writeInside(join(tree.slot, '.git'), EXCLUDE, patterns);
  return true;
}

const IGNORE_FILE = /(?:^|\/)\.gitignore$/;
const CREATED = 'created-by-setup';

/**
 * Returns a function that is true for files that setup created, and for files in its folders. The exclude list is only a
 * hint for git, because every `.gitignore` has precedence over it. Paths are bytes, one character each (latin1).
 */
export async function readCreated(trusted: string): Promise<(path: string) => boolean> {
  const content = await readFile(join(trusted, CREATED)).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
    return Buffer.alloc(0);
  });
  const created = content.toString('latin1').split('\0').filter(Boolean).sort();
  // Git lists a folder without its content, so only the last entry before a path can be one of the path's folders. To
  // try each folder of a path would stall the worker at thousands of nested folders.
  return (path) => {
    const entry = findLast(created, path);
    return entry === path || (entry?.endsWith('/') === true && path.startsWith(entry));
  };
}

/** Returns the last entry of a sorted list that does not sort after the text. */
function findLast(sorted: readonly string[], text: string): string | undefined {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') <= text) low = middle + 1;
    else high = middle;
  }
  return sorted[low - 1];
}

/** Copies the exclude list of the trusted repository, if setup created files. */
export async function copyExcludes(trusted: string, gitDir: string): Promise<void> {
  try {
    await copyFile(join(trusted, EXCLUDE), join(gitDir, EXCLUDE));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

const EXCLUDE = 'info/exclude';

/** Matches exactly this path. A pattern cannot contain a line break, but `?` matches one. */
export function toPattern(path: string): string {
  const name = path.endsWith('/') ? path.slice(0, -1) : path;
  return `/${name.replace(/[\\*?[\]!# \t]/g, '\\$&').replace(/[\r\n]/g, '?')}`;
}
