import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAncestorIn } from '../repository/lineage.js';
import { checkSha } from '../run/check-names.js';
import type { Place, Ran, RunGit } from '../run/run-git.js';
import { createFailure, toFailure } from '../run/to-failure.js';
import { parseMerge, type RawConflict } from './parse-merge.js';

export type MergeRequest = {
  /** The branch's head. */
  head: string;
  /** The commit that is merged into it. */
  baseSha: string;
};

export type Merge = { tree: string; conflicts: readonly RawConflict[] };

/**
 * The base merged into the branch, as a tree with conflict markers. Undefined when the branch already contains the base.
 * Touches no file and runs no merge driver: attributes are disabled.
 */
export async function computeMerge(
  run: RunGit,
  place: Place,
  { head, baseSha }: MergeRequest,
): Promise<Merge | undefined> {
  checkSha(head);
  checkSha(baseSha);
  if (await isAncestorIn(run, { ...place, older: baseSha, newer: head })) return undefined;
  const action = `merging ${baseSha} into ${head}`;
  const [ours, theirs] = await nameSides(place, { head, baseSha });
  const args = ['merge-tree', '--write-tree', '-z', ours, theirs];
  const ran = await run({ action, args, ...place });
  const merge = ran.code === 0 || ran.code === 1 ? parseMerge(ran.stdout) : undefined;
  if (merge === undefined) throw explain(action, ran);
  return merge;
}

/** Git writes the names of the two sides into the markers, where names are clearer than shas. */
async function nameSides({ gitDir }: Place, { head, baseSha }: MergeRequest) {
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
      `${action} needs git 2.38 or newer; install it where the search path finds it`,
    );
  if (/unrelated histories/i.test(ran.stderr))
    return createFailure('conflict', `${action} is impossible: their histories have nothing in common`);
  return toFailure({ action, ...ran });
}
