import type { FindSecrets } from '@mergexo/core/text';
import { hasTooManyFiles } from '../faults/measure-tree.js';
import { readInside } from '../files/read-inside.js';
import { computeMerge } from '../merge/merge-base.js';
import { type Conflict, toConflict } from '../merge/parse-merge.js';
import { hasCommit } from '../repository/lineage.js';
import { readSlotHead } from '../repository/read-slot-head.js';
import { type Adopted, adoptCommits, markLast } from './adopt-commits.js';
import { commitMerge } from './commit-merge.js';
import { copyObjects } from './copy-objects.js';
import { buildAndDeliver, type Collected, type Refused } from './deliver.js';
import { gatherLeftovers } from './gather-leftovers.js';
import { listUnmerged } from './list-unmerged.js';
import { makeCommit, type Tip } from './make-commit.js';
import { isAncestor, type Staging } from './staging.js';

export type CollectRequest = {
  /** The head that `restore` returned. */
  startSha: string;
  message: string;
  /** Applied to the messages of the agent's own commits. */
  cleanMessage?: (text: string) => string;
  /** Applied to every changed file and file name. A commit with a new secret is not pushed. */
  findSecrets?: FindSecrets;
  /** The last trailer: `MergeXO-Turn: <key>`. */
  trailer: string;
  /** A trailer that names the agent, for every new commit. */
  credit?: string;
  /** Trailers that precede `trailer`. */
  references?: readonly string[];
  /** The commit that `mergeBase` merged into the start. It becomes the second parent. */
  mergeParent?: string;
};

/** Turns the agent's commits and the slot's files into commits that may be pushed. */
export function collect(staging: Staging, request: CollectRequest): Promise<Collected> {
  return buildAndDeliver(staging, request, () => buildTip(staging, request));
}

async function buildTip(staging: Staging, request: CollectRequest): Promise<Tip | Refused> {
  const { startSha } = request;
  const head = await readSlotHead(staging.tree.slot);
  if (head === null) return { kind: 'rewritten', expected: startSha, observed: null };
  if (head !== startSha) {
    const refusal = await bringCommits(staging, startSha, head);
    if (refusal !== undefined) return refusal;
  }
  const adopted = await adoptCommits(staging, { ...request, head });
  if (adopted.kind !== 'adopted') return adopted;
  const work = { head, adopted, trailers: listTrailers(request) };
  return (await buildMerge(staging, request, work)) ?? commitLeftovers(staging, request, work);
}

/** Lists the trailers of the last commit. */
export function listTrailers({
  credit,
  references = [],
  trailer,
}: Pick<CollectRequest, 'credit' | 'references' | 'trailer'>): string[] {
  return [...(credit === undefined ? [] : [credit]), ...references, trailer];
}

/** The agent's last commit, the agent's commits after rewriting, and the trailers of the new commit. */
type Work = { head: string; adopted: Adopted; trailers: readonly string[] };

/** Builds the merge commit. Undefined if there is nothing to merge. */
async function buildMerge(
  staging: Staging,
  { startSha, mergeParent: baseSha, message }: CollectRequest,
  work: Work,
): Promise<Tip | Refused | undefined> {
  if (baseSha === undefined) return undefined;
  const trusted = { ...staging, gitDir: staging.tree.trusted };
  const merge = await computeMerge(trusted, { head: startSha, baseSha });
  return merge && commitMerge(staging, { startSha, ...work, baseSha, merge, message });
}

async function commitLeftovers(
  staging: Staging,
  { startSha, message }: CollectRequest,
  { head, adopted, trailers }: Work,
): Promise<Tip | Refused> {
  const unmerged = await findUnmerged(staging);
  if (unmerged.length > 0) return { kind: 'unresolved', files: unmerged };
  const leftovers = await gatherLeftovers(staging, head);
  if (leftovers.kind === 'too-large' || leftovers.kind === 'invalid') return leftovers;
  if (leftovers.kind === 'tree')
    return makeCommit(staging, { parents: adopted.parents, tree: leftovers.tree, message, trailers });
  if (head === startSha) return { kind: 'tip', sha: head };
  return markLast(staging, { head, adopted, message, trailers });
}

/**
 * Copies the agent's commits. Returns undefined if they descend from the start, or else the reason why
 * MergeXO uses none of them.
 */
async function bringCommits(staging: Staging, startSha: string, head: string): Promise<Refused | undefined> {
  const copied = await copyObjects(staging);
  if (copied.kind !== 'copied') return copied;
  // A tag also descends from the commit that it names, but no commit can have a tag as its parent.
  const descends = (await isAncestor(staging, startSha, head)) && (await hasCommit(staging, head));
  if (!descends) return { kind: 'rewritten', expected: startSha, observed: head };
  // Git would read all of the files into the index, even if the next commit removes them.
  if (await hasTooManyFiles(staging, head)) return { kind: 'too-large', bytes: staging.limits.slotBytes };
  return undefined;
}

/** Finds unmerged files of a merge that the agent started but did not finish. Ignores an index that cannot be read. */
async function findUnmerged({ limits, tree }: Staging): Promise<Conflict[]> {
  const index = await readInside(tree.slot, '.git/index', limits.slotBytes);
  if (index.kind !== 'read') return [];
  const reason = 'git still lists it as unmerged';
  return listUnmerged(index.content).map((path) => toConflict({ path, reason }));
}
