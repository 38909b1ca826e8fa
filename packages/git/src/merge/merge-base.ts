import { checkOutTree, type WorkingTree } from '../checkout/working-tree.js';
import type { GitTools } from '../repository/git-tools.js';
import { computeMerge, type MergeRequest } from './compute-merge.js';
import { type Conflict, toConflict } from './parse-merge.js';

export type MergedBase = { kind: 'up-to-date' | 'merged' } | { kind: 'conflicts'; files: Conflict[] };

type MergeTools = GitTools & { tree: WorkingTree; signal: AbortSignal };

/** Merges in the trusted repository and checks the result out into the slot, with conflict markers. Makes no commit. */
export async function mergeBase(tools: MergeTools, request: MergeRequest): Promise<MergedBase> {
  const { run, tree, signal } = tools;
  const merge = await computeMerge(run, { gitDir: tree.trusted, signal }, request);
  if (merge === undefined) return { kind: 'up-to-date' };
  await checkOutTree(tools, tree, { sha: merge.tree, signal });
  if (merge.conflicts.length === 0) return { kind: 'merged' };
  return { kind: 'conflicts', files: merge.conflicts.map(toConflict) };
}
