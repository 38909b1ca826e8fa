import { readSlotHead } from '../checkout/read-slot-head.js';
import { computeMerge } from '../merge/compute-merge.js';
import { hasCommit } from '../repository/lineage.js';
import { type Adopted, adoptCommits, markLast } from './adopt-commits.js';
import { commitMerge } from './commit-merge.js';
import { copyObjects } from './copy-objects.js';
import { buildAndDeliver, type Collected, type Refused } from './deliver.js';
import { findUnmerged } from './find-unmerged.js';
import { gatherLeftovers } from './gather-leftovers.js';
import { makeCommit, type Tip } from './make-commit.js';
import { isAncestor, type Staging } from './staging.js';

export type CollectRequest = {
  /** The head that `restore` returned. */
  startSha: string;
  message: string;
  /** Applied to the messages of the agent's own commits. */
  cleanMessage?: (text: string) => string;
  /** `MergeXO-Turn: <key>` */
  trailer: string;
  /** Trailers before that one. */
  references?: readonly string[];
  /** The commit that `mergeBase` merged into the start: it becomes the second parent. */
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
  const work = { head, adopted, trailers: [...(request.references ?? []), request.trailer] };
  return (await buildMerge(staging, request, work)) ?? commitLeftovers(staging, request, work);
}

/** The agent's last commit, the commits that are made of the agent's own, and the trailers of the new one. */
type Work = { head: string; adopted: Adopted; trailers: readonly string[] };

/** Undefined when there is nothing to merge. */
async function buildMerge(
  staging: Staging,
  { startSha, mergeParent: baseSha, message }: CollectRequest,
  work: Work,
): Promise<Tip | Refused | undefined> {
  if (baseSha === undefined) return undefined;
  const { run, tree, signal } = staging;
  const merge = await computeMerge(run, { gitDir: tree.trusted, signal }, { head: startSha, baseSha });
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
  return head === startSha ? { kind: 'tip', sha: head } : markLast(staging, adopted, trailers);
}

/** The lineage guard. Unless the answer is undefined, none of the agent's commits is used. */
async function bringCommits(staging: Staging, startSha: string, head: string): Promise<Refused | undefined> {
  const { run, gitDir, signal } = staging;
  const copied = await copyObjects(staging);
  if (copied.kind !== 'copied') return copied;
  // A tag descends from the commit it names, but no commit can have a tag as its parent.
  const descends =
    (await isAncestor(staging, startSha, head)) && (await hasCommit(run, { gitDir, sha: head, signal }));
  return descends ? undefined : { kind: 'rewritten', expected: startSha, observed: head };
}
