import { join } from 'node:path';
import type { Merge } from '../merge/compute-merge.js';
import { type Invalid, refuse } from '../run/refuse.js';
import type { Adopted } from './adopt-commits.js';
import type { Faulty } from './find-faults.js';
import { findUndone } from './find-undone.js';
import { gatherLeftovers, type Leftovers, type Staging } from './gather-leftovers.js';
import { makeCommit, type Tip } from './make-commit.js';
import { markLast } from './mark-last.js';

export type MergeJob = {
  startSha: string;
  /** Where the agent's own commits end; the start if it made none. */
  head: string;
  /** Those commits as they will be pushed. */
  adopted: Adopted;
  baseSha: string;
  merge: Merge;
  message: string;
  trailers: readonly string[];
};

export type MergeRefused = Exclude<Leftovers, { kind: 'none' | 'tree' }> | Faulty;

/**
 * The slot's files as the merge of the base into the branch. They are compared with the merge and not with the branch:
 * what the base brings may be ignored, and would be left out as a stranger's file.
 */
export async function commitMerge(staging: Staging, job: MergeJob): Promise<Tip | MergeRefused> {
  const { startSha, head, adopted, baseSha, merge, message, trailers } = job;
  const { parents } = adopted;
  // An agent that merges by itself has done what the second parent is for.
  const isMerged = await isAncestor(staging, baseSha, head);
  const ground = isMerged ? { kind: 'tree' as const, tree: head } : await uniteTrees(staging, job);
  if (ground.kind === 'invalid') return ground;
  const leftovers = await gatherLeftovers(staging, ground.tree);
  if (leftovers.kind === 'too-large' || leftovers.kind === 'invalid') return leftovers;
  const tree = leftovers.kind === 'tree' ? leftovers.tree : ground.tree;
  const { door, gitDir, signal } = staging;
  const undone = await findUndone(door.run, { gitDir, signal }, { startSha, merge, tree });
  if (undone.length > 0) return { kind: 'unresolved', files: undone };
  if (!isMerged) return makeCommit(staging, { parents: [...parents, baseSha], tree, message, trailers });
  if (leftovers.kind === 'none') return markLast(staging, adopted, trailers);
  return makeCommit(staging, { parents, tree, message, trailers });
}

/** What the agent may have broken is no answer; it is found out when the commits are checked. */
async function isAncestor({ door, gitDir, signal }: Staging, older: string, newer: string): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', older, newer];
  const { code } = await door.run({ action: `comparing ${older} with ${newer}`, args, gitDir, signal });
  return code === 0;
}

type United = { kind: 'tree'; tree: string } | Invalid;

/** The merge, and what the agent's own commits added: those files may be ignored as well. */
async function uniteTrees(staging: Staging, { startSha, head, merge }: MergeJob): Promise<United> {
  if (head === startSha) return { kind: 'tree', tree: merge.tree };
  const added = await ask(staging, [
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-abbrev',
    '--no-renames',
    '--no-ext-diff',
    '--diff-filter=A',
    startSha,
    head,
  ]);
  if (added.kind === 'invalid') return added;
  if (added.said.length === 0) return { kind: 'tree', tree: merge.tree };
  const read = await ask(staging, ['read-tree', merge.tree]);
  if (read.kind === 'invalid') return read;
  const put = await ask(staging, ['update-index', '-z', '--index-info'], toIndexInfo(added.said));
  if (put.kind === 'invalid') return put;
  const written = await ask(staging, ['write-tree']);
  return written.kind === 'invalid' ? written : { kind: 'tree', tree: written.said.toString().trim() };
}

/** From `:000000 <mode> <no id> <id> A`, a zero byte and the path, to `<mode> <id>`, a tab and the path. */
function toIndexInfo(diff: Buffer): Buffer {
  const words = diff.toString('latin1').split('\0');
  const lines: string[] = [];
  for (let index = 0; index + 1 < words.length; index += 2) {
    const [, mode, , id] = (words[index] ?? '').split(' ');
    lines.push(`${mode} ${id}\t${words[index + 1]}\0`);
  }
  return Buffer.from(lines.join(''), 'latin1');
}

type Said = { kind: 'said'; said: Buffer };

async function ask(staging: Staging, args: string[], input?: Buffer): Promise<Said | Invalid> {
  const { door, gitDir, tree, signal } = staging;
  const action = `merging in ${tree.slot}`;
  const indexFile = join(gitDir, 'index');
  const ran = await door.run({
    action,
    args,
    gitDir,
    indexFile,
    signal,
    ...(input !== undefined && { input }),
  });
  return ran.code === 0 ? { kind: 'said', said: ran.stdout } : refuse(action, ran);
}
