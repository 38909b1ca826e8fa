import { readSlotHead } from '../checkout/read-slot-head.js';
import { computeMerge } from '../merge/compute-merge.js';
import { importBundle, makeBundle, type Range } from '../repository/bundle.js';
import { hasCommit } from '../repository/lineage.js';
import { type ChangedFile, listChangedFiles, listCommits } from '../repository/range.js';
import { writeSkeleton } from '../repository/write-skeleton.js';
import { checkSha } from '../run/check-names.js';
import { unavailableFailure } from '../run/to-failure.js';
import { type Adopted, adoptCommits } from './adopt-commits.js';
import { commitMerge, type MergeRefused } from './commit-merge.js';
import { copyObjects } from './copy-objects.js';
import { findFaults } from './find-faults.js';
import { findUnmerged } from './find-unmerged.js';
import { gatherLeftovers, type Staging } from './gather-leftovers.js';
import { makeCommit, type Tip } from './make-commit.js';
import { markLast } from './mark-last.js';

export type CollectRequest = {
  /** The head that `restore` answered with. */
  startSha: string;
  message: string;
  /** Applied to the messages of the agent's own commits. */
  cleanMessage?: (text: string) => string;
  /** `MergeXO-Turn: <key>` */
  trailer: string;
  /** Further lines of that kind, which stand before it. */
  references?: readonly string[];
  /** The commit that `mergeBase` merged into the start: it becomes the second parent. */
  mergeParent?: string;
};

export type Refused =
  /** The agent's HEAD does not descend from the start; null when it has none that could be read. */
  | { kind: 'rewritten'; expected: string; observed: string | null }
  | { kind: 'too-large'; bytes: number }
  /** Something that git refuses: broken objects, forbidden names. */
  | { kind: 'invalid'; reason: string }
  | MergeRefused;

export type Collected =
  | { kind: 'empty' }
  | Refused
  | { kind: 'collected'; sha: string; commits: string[]; files: ChangedFile[]; bundle: Buffer };

export type BuildTip = (staging: Staging, request: CollectRequest) => Promise<Tip | Refused>;

/** Turns what the agent left into commits. */
export function collect(staging: Staging, request: CollectRequest): Promise<Collected> {
  return buildAndDeliver(staging, request, buildTip);
}

/** Everything is built in a staging repository and enters the trusted one checked. */
export async function buildAndDeliver(
  staging: Staging,
  request: CollectRequest,
  build: BuildTip,
): Promise<Collected> {
  const { startSha, mergeParent } = request;
  checkSha(startSha);
  const { mirror, trusted } = staging.tree;
  // The merge is computed in the trusted repository, where the agent's objects never are.
  const borrowsFrom = mergeParent === undefined ? [mirror] : [mirror, trusted];
  await writeSkeleton(staging.gitDir, { head: 'staging', bare: true, borrowsFrom });
  const tip = await build(staging, request);
  if (tip.kind === 'tip' && tip.sha === startSha) return { kind: 'empty' };
  const collected =
    tip.kind === 'tip' ? await checkAndDeliver(staging, { startSha, mergeParent, sha: tip.sha }) : tip;
  if (collected.kind === 'invalid' || collected.kind === 'rewritten') await checkGround(staging, startSha);
  return collected;
}

/** Nobody is accused for what the mirror has lost. Asked of the trusted repository: the agent put nothing there. */
async function checkGround({ door, tree, signal }: Staging, startSha: string): Promise<void> {
  if (await hasCommit(door.run, { gitDir: tree.trusted, sha: startSha, signal })) return;
  throw unavailableFailure(
    `${tree.label} has lost ${startSha} while a turn was working on it; it is tried again`,
  );
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
  const work = { head, adopted };
  return (await buildMerge(staging, request, work)) ?? commitLeftovers(staging, request, work);
}

/** Where the agent's commits end, and what is made of them. */
type Work = { head: string; adopted: Adopted };

/** Undefined when there is nothing to merge. */
async function buildMerge(
  staging: Staging,
  request: CollectRequest,
  work: Work,
): Promise<Tip | Refused | undefined> {
  const { door, tree, signal } = staging;
  const { startSha, mergeParent: baseSha, message } = request;
  if (baseSha === undefined) return undefined;
  const place = { gitDir: tree.trusted, signal };
  const merge = await computeMerge(door.run, place, { head: startSha, baseSha });
  if (merge === undefined) return undefined;
  const job = { startSha, ...work, baseSha, merge, message, trailers: listTrailers(request) };
  return commitMerge(staging, job);
}

async function commitLeftovers(
  staging: Staging,
  request: CollectRequest,
  { head, adopted }: Work,
): Promise<Tip | Refused> {
  const { startSha, message } = request;
  const unmerged = await findUnmerged(staging);
  if (unmerged.length > 0) return { kind: 'unresolved', files: unmerged };
  const trailers = listTrailers(request);
  const leftovers = await gatherLeftovers(staging, head);
  if (leftovers.kind === 'too-large' || leftovers.kind === 'invalid') return leftovers;
  if (leftovers.kind === 'tree')
    return makeCommit(staging, { parents: adopted.parents, tree: leftovers.tree, message, trailers });
  return head === startSha ? { kind: 'tip', sha: head } : markLast(staging, adopted, trailers);
}

function listTrailers({ references = [], trailer }: CollectRequest): string[] {
  return [...references, trailer];
}

/** The lineage guard: an answer other than undefined means that nothing of the agent's commits is used. */
async function bringCommits(staging: Staging, startSha: string, head: string): Promise<Refused | undefined> {
  const { door, gitDir, tree, signal } = staging;
  const copy = { slot: tree.slot, staging: gitDir, maxBytes: door.limits.slotBytes, signal };
  const copied = await copyObjects(door.run, copy);
  if (copied.kind !== 'copied') return copied;
  const args = ['merge-base', '--is-ancestor', startSha, head];
  const { code } = await door.run({ action: `comparing ${startSha} with ${head}`, args, gitDir, signal });
  // A tag descends from what it names, but nothing can be built on it.
  const descends = code === 0 && (await hasCommit(door.run, { gitDir, sha: head, signal }));
  return descends ? undefined : { kind: 'rewritten', expected: startSha, observed: head };
}

/** Whoever made the commit: nothing that must not be pushed gets past this. */
async function checkAndDeliver(staging: Staging, range: Range): Promise<Collected> {
  const { door, gitDir, signal } = staging;
  const fault = await findFaults(door.run, { gitDir, signal }, range.sha);
  return fault ?? deliver(staging, range);
}

async function deliver({ door, tree, gitDir, signal }: Staging, range: Range): Promise<Collected> {
  const bundled = await makeBundle(door.run, { ...range, gitDir, signal }, door.limits.bundleBytes);
  if (bundled.kind !== 'bundled') return bundled;
  const trusted = { ...range, gitDir: tree.trusted, signal };
  const imported = await importBundle(door.run, trusted, bundled.bundle);
  if (imported.kind === 'refused') return { kind: 'invalid', reason: imported.reason };
  const [commits, files] = await Promise.all([
    listCommits(door.run, trusted),
    listChangedFiles(door.run, trusted),
  ]);
  return { kind: 'collected', sha: range.sha, commits, files, bundle: bundled.bundle };
}
