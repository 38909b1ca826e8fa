import type { Merge } from '../merge/compute-merge.js';
import { type Conflict, toConflict } from '../merge/parse-merge.js';
import { diffTrees } from '../repository/range.js';
import type { Place, RunGit } from '../run/run-git.js';

type Resolution = {
  startSha: string;
  merge: Merge;
  /** The slot's current files. */
  tree: string;
};

/**
 * Files of the base's changes, if the agent reverted all of them, by a stash or a reset for example. A merge commit would
 * then silently undo the base. Reverting a single file may be intended; reverting all of them is not.
 */
export async function findUndone(run: RunGit, place: Place, resolution: Resolution): Promise<Conflict[]> {
  const { startSha, merge, tree } = resolution;
  const conflicting = new Set(merge.conflicts.map(({ path }) => path));
  const brought = await diffTrees(run, place, [startSha, merge.tree]);
  const fitting = [...brought].filter(([path]) => !conflicting.has(path));
  const changed = await diffTrees(run, place, [startSha, tree]);
  // A reset leaves new files in place, so edited files tell more.
  const edited = fitting.filter(([, status]) => status === 'M');
  const telling = edited.length > 0 ? edited : fitting;
  if (telling.some(([path]) => changed.has(path))) return [];
  return telling.map(([path]) => toConflict({ path, reason: 'what the base changed in it is gone' }));
}
