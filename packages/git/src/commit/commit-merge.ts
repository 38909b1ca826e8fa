import type { Merge } from '../merge/compute-merge.js';
import type { Invalid } from '../run/refuse.js';
import { type Adopted, markLast } from './adopt-commits.js';
import type { Refused } from './deliver.js';
import { findUndone } from './find-undone.js';
import { gatherLeftovers } from './gather-leftovers.js';
import { makeCommit, type Tip } from './make-commit.js';
import { editTree, isAncestor, runStaged, type Staging, type Tree } from './staging.js';

type MergeJob = {
  startSha: string;
  /** The agent's last commit; the start if the agent made none. */
  head: string;
  /** The agent's commits as they will be pushed. */
  adopted: Adopted;
  baseSha: string;
  merge: Merge;
  message: string;
  trailers: readonly string[];
};

/**
 * Commits the slot's files as the merge of the base into the branch. The files are compared with the merge and not with
 * the branch: files of the base may be ignored, and would be left out like an ignored file of the agent.
 */
export async function commitMerge(staging: Staging, job: MergeJob): Promise<Tip | Refused> {
  const { startSha, head, adopted, baseSha, merge, message, trailers } = job;
  const { parents } = adopted;
  // An agent that merged the base itself has already made the second parent.
  const isMerged = await isAncestor(staging, baseSha, head);
  const ground: Tree | Invalid = isMerged ? { kind: 'tree', tree: head } : await uniteTrees(staging, job);
  if (ground.kind === 'invalid') return ground;
  const leftovers = await gatherLeftovers(staging, ground.tree);
  if (leftovers.kind === 'too-large' || leftovers.kind === 'invalid') return leftovers;
  const tree = leftovers.kind === 'tree' ? leftovers.tree : ground.tree;
  const { run, gitDir, signal } = staging;
  const undone = await findUndone(run, { gitDir, signal }, { startSha, merge, tree });
  if (undone.length > 0) return { kind: 'unresolved', files: undone };
  if (!isMerged) return makeCommit(staging, { parents: [...parents, baseSha], tree, message, trailers });
  if (leftovers.kind === 'tree') return makeCommit(staging, { parents, tree, message, trailers });
  return markLast(staging, adopted, trailers);
}

/** The merge with the files that the agent's own commits added: those may be ignored as well. */
async function uniteTrees(staging: Staging, { startSha, head, merge }: MergeJob): Promise<Tree | Invalid> {
  if (head === startSha) return { kind: 'tree', tree: merge.tree };
  const added = await runStaged(staging, { args: [...LIST_ADDED, startSha, head] });
  if (added.kind === 'invalid') return added;
  if (added.stdout.length === 0) return { kind: 'tree', tree: merge.tree };
  const input = toIndexInfo(added.stdout);
  return editTree(staging, merge.tree, { args: ['update-index', '-z', '--index-info'], input });
}

const LIST_ADDED = [
  'diff-tree',
  '-r',
  '-z',
  '--raw',
  '--no-abbrev',
  '--no-renames',
  '--no-ext-diff',
  '--diff-filter=A',
];

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
