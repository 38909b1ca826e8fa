import type { Merge } from '../merge/compute-merge.js';
import { type Conflict, toConflict } from '../merge/parse-merge.js';
import { mustRun, type Place, type RunGit } from '../run/run-git.js';

type Resolution = {
  startSha: string;
  merge: Merge;
  /** What the slot's files are now. */
  tree: string;
};

/**
 * Whoever stashes or resets the files loses the merge, and little but its second parent would be left: the changes of the
 * base would be taken back in silence. One file that is put back may be meant so; all of them are not.
 */
export async function findUndone(run: RunGit, place: Place, resolution: Resolution): Promise<Conflict[]> {
  const { startSha, merge, tree } = resolution;
  const conflicting = new Set(merge.conflicts.map(({ path }) => path));
  const brought = await listDifferent(run, place, [startSha, merge.tree]);
  const fitting = [...brought].filter(([path]) => !conflicting.has(path));
  const changed = await listDifferent(run, place, [startSha, tree]);
  // Files that are new stay where they are when those that git knows are put back.
  const edited = fitting.filter(([, status]) => status === 'M');
  const telling = edited.length > 0 ? edited : fitting;
  if (telling.some(([path]) => changed.has(path))) return [];
  return telling.map(([path]) => toConflict({ path, reason: 'what the base changed in it is gone' }));
}

/** Paths with git's letter for what became of them. */
async function listDifferent(
  run: RunGit,
  place: Place,
  trees: readonly [older: string, newer: string],
): Promise<ReadonlyMap<string, string>> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--no-ext-diff', '--name-status', ...trees];
  const { stdout } = await mustRun(run, { action: `comparing ${trees.join(' with ')}`, args, ...place });
  const words = stdout.toString('latin1').split('\0');
  const files = new Map<string, string>();
  for (let index = 0; index + 1 < words.length; index += 2)
    files.set(words[index + 1] ?? '', words[index] ?? '');
  return files;
}
