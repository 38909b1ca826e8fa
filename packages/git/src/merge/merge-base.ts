import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkOutTree, type WorkingTree } from '../checkout/working-tree.js';
import type { GitTools } from '../repository/git-tools.js';
import { isAncestorIn } from '../repository/lineage.js';
import { checkSha } from '../run/check-names.js';
import { type Ran, type Repository, runIn } from '../run/run-git.js';
import { createFailure, toFailure } from '../run/to-failure.js';
import { type Conflict, type Merge, parseMerge, toConflict } from './parse-merge.js';

export type MergeRequest = {
  /** The branch's head. */
  head: string;
  /** The commit to merge into the branch. */
  baseSha: string;
};

/**
 * Merges the base into the branch and returns a tree with conflict markers; undefined if the branch already contains
 * the base. Touches no file and runs no merge driver, because attributes are disabled.
 */
export async function computeMerge(
  repository: Repository,
  { head, baseSha }: MergeRequest,
): Promise<Merge | undefined> {
  checkSha(head);
  checkSha(baseSha);
  if (await isAncestorIn(repository, { older: baseSha, newer: head })) return undefined;
  const action = `merging ${baseSha} into ${head}`;
  const [branchName, baseName] = await nameSides(repository, { head, baseSha });
  const args = ['merge-tree', '--write-tree', '-z', branchName, baseName];
  const ran = await runIn(repository, { action, args });
  const merge = ran.code === 0 || ran.code === 1 ? parseMerge(ran.stdout) : undefined;
  if (merge === undefined) throw explain(action, ran);
  return merge;
}

/** Names the two sides, because git writes their names into the conflict markers, where shas would be less clear. */
async function nameSides({ gitDir }: Repository, { head, baseSha }: MergeRequest) {
  const heads = join(gitDir, 'refs/heads');
  await mkdir(heads, { recursive: true, mode: 0o700 });
  await Promise.all([
    writeFile(join(heads, 'branch'), `${head}\n`),
    writeFile(join(heads, 'base'), `${baseSha}\n`),
  ]);
  return ['branch', 'base'] as const;
}

function explain(action: string, ran: Ran): Error {
  // Git exits with 129 for an unknown option.
  if (ran.code === 129)
    return createFailure(
      'unavailable',
      `${action} needs git 2.38 or newer; install it in a directory on the PATH`,
    );
  if (/unrelated histories/i.test(ran.stderr))
    return createFailure('conflict', `${action} is impossible: the two histories have no commit in common`);
  return toFailure({ action, ...ran });
}

export type MergedBase = { kind: 'up-to-date' | 'merged' } | { kind: 'conflicts'; files: Conflict[] };

type MergeTools = GitTools & { tree: WorkingTree; signal: AbortSignal };

/** Merges in the trusted repository and checks out the result into the slot, with conflict markers. Does not commit. */
export async function mergeBase(tools: MergeTools, request: MergeRequest): Promise<MergedBase> {
  const { tree, signal } = tools;
  const merge = await computeMerge({ ...tools, gitDir: tree.trusted }, request);
  if (merge === undefined) return { kind: 'up-to-date' };
  await checkOutTree(tools, tree, { sha: merge.tree, signal });
  if (merge.conflicts.length === 0) return { kind: 'merged' };
  return { kind: 'conflicts', files: merge.conflicts.map(toConflict) };
}
