import { type Conflict, type Merge, toConflict } from '../merge/parse-merge.js';
import { diffTrees } from '../repository/read-commits.js';
import type { Invalid } from '../run/refuse.js';
import type { Repository } from '../run/run-git.js';
import { type Adopted, markLast } from './adopt-commits.js';
import type { Refused } from './deliver.js';
import { gatherLeftovers } from './gather-leftovers.js';
import { makeCommit, type Tip } from './make-commit.js';
import { editTree, isAncestor, runStaged, type Staging, type Tree } from './staging.js';

type MergeJob = {
  startSha: string;
  /** The agent's last commit, or the start if the agent made none. */
  head: string;
  /** The agent's commits as they will be pushed. */
  adopted: Adopted;
  baseSha: string;
  merge: Merge;
  message: string;
  trailers: readonly string[];
};

/**
 * Commits the slot's files as the merge of the base into the branch. Compares the files with the merge instead of the
 * branch. Otherwise, the base's ignored files would be omitted, like the agent's ignored files.
 */
export async function commitMerge(staging: Staging, job: MergeJob): Promise<Tip | Refused> {
  const { startSha, head, adopted, baseSha, merge, message, trailers } = job;
  const { parents } = adopted;
  // If the agent merged the base itself, its merge commit already has the second parent.
  const isMerged = await isAncestor(staging, baseSha, head);
  const ground: Tree | Invalid = isMerged ? { kind: 'tree', tree: head } : await uniteTrees(staging, job);
  if (ground.kind === 'invalid') return ground;
  const leftovers = await gatherLeftovers(staging, ground.tree);
  if (leftovers.kind === 'too-large' || leftovers.kind === 'invalid') return leftovers;
  const tree = leftovers.kind === 'tree' ? leftovers.tree : ground.tree;
  const reverted = await findReverted(staging, { startSha, merge, tree });
  if (reverted.length > 0) return { kind: 'unresolved', files: reverted };
  if (!isMerged) return makeCommit(staging, { parents: [...parents, baseSha], tree, message, trailers });
  if (leftovers.kind === 'tree') return makeCommit(staging, { parents, tree, message, trailers });
  return markLast(staging, job);
}

/** Adds the files of the agent's own commits to the merge, because those files may be ignored too. */
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

/** Converts `:000000 <mode> <no id> <id> A`, a zero byte and the path into `<mode> <id>`, a tab and the path. */
function toIndexInfo(diff: Buffer): Buffer {
  const fields = diff.toString('latin1').split('\0');
  const lines: string[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [, mode, , id] = (fields[index] ?? '').split(' ');
    lines.push(`${mode} ${id}\t${fields[index + 1]}\0`);
  }
  return Buffer.from(lines.join(''), 'latin1');
}

type Resolution = {
  startSha: string;
  merge: Merge;
  /** The slot's current files. */
  tree: string;
};

/**
 * Returns the files that the base changed if the agent reverted all of them, for example with a stash or a reset. A
 * merge commit would then silently undo the base's changes. Reverting a single file may be intended; reverting all of
 * them is not.
 */
async function findReverted(repository: Repository, resolution: Resolution): Promise<Conflict[]> {
  const { startSha, merge, tree } = resolution;
  const conflicting = new Set(merge.conflicts.map(({ path }) => path));
  const baseChanges = await diffTrees(repository, [startSha, merge.tree]);
  const fitting = [...baseChanges].filter(([path]) => !conflicting.has(path));
  const changed = await diffTrees(repository, [startSha, tree]);
  // A reset keeps new files, so modified files are the better evidence.
  const edited = fitting.filter(([, status]) => status === 'M');
  const telling = edited.length > 0 ? edited : fitting;
  if (telling.some(([path]) => changed.has(path))) return [];
  return telling.map(([path]) => toConflict({ path, reason: "the base's changes to it were reverted" }));
}
