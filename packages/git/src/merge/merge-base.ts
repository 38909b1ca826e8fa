import { showTree, type WorkingTree } from '../checkout/working-tree.js';
import type { Door } from '../repository/git-tools.js';
import { computeMerge, type MergeRequest } from './compute-merge.js';
import { type Conflict, toConflict } from './parse-merge.js';

export type MergedBase =
  | { kind: 'up-to-date' }
  | { kind: 'merged'; tree: string }
  | { kind: 'conflicts'; tree: string; files: Conflict[] };

export type MergeTools = { door: Door; tree: WorkingTree; signal: AbortSignal };

/** Merges in the trusted repository and shows the result in the slot, conflict markers included. Nothing is committed. */
export async function mergeBase(
  { door, tree, signal }: MergeTools,
  request: MergeRequest,
): Promise<MergedBase> {
  const merge = await computeMerge(door.run, { gitDir: tree.trusted, signal }, request);
  if (merge === undefined) return { kind: 'up-to-date' };
  await showTree(door, tree, { sha: merge.tree, signal });
  if (merge.conflicts.length === 0) return { kind: 'merged', tree: merge.tree };
  return { kind: 'conflicts', tree: merge.tree, files: merge.conflicts.map(toConflict) };
}
