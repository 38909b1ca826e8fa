import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '@mergexo/process';
import { findObstacle } from '../files/read-inside.js';
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
  const patterns = Buffer.from(paths.map((path) => `${toPattern(path)}\n`).join(''), 'latin1');
  await writeFile(join(tree.trusted, EXCLUDE), patterns);
  // Makes the agent's own `git status` and `git add` skip the files too.
  if ((await findObstacle(tree.slot, ['.git'])) === undefined)
    await writeInside(join(tree.slot, '.git'), EXCLUDE, patterns);
  return true;
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
