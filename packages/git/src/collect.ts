import { importBundle, makeBundle, type Range } from './bundle.js';
import { copyObjects } from './copy-objects.js';
import { gatherLeftovers, type Staging } from './leftovers.js';
import { makeCommit, markCommit } from './make-commit.js';
import { checkSha } from './names.js';
import { type ChangedFile, listChangedFiles, listCommits } from './range.js';
import { writeSkeleton } from './skeleton.js';
import { readSlotHead } from './slot-head.js';

export type CollectRequest = {
  /** The head that `restore` answered with. */
  startSha: string;
  message: string;
  /** `MergeXO-Turn: <key>` */
  trailer: string;
};

export type Collected =
  | { kind: 'empty' }
  /** The agent's HEAD does not descend from the start; null when it has none that could be read. */
  | { kind: 'rewritten'; expected: string; observed: string | null }
  | { kind: 'too-large'; bytes: number }
  /** Something that git refuses: broken objects, forbidden names. */
  | { kind: 'invalid'; reason: string }
  | { kind: 'collected'; sha: string; commits: string[]; files: ChangedFile[]; bundle: Buffer };

type Tip = { kind: 'tip'; sha: string } | Exclude<Collected, { kind: 'collected' | 'empty' }>;

/** Turns what the agent left into commits. Everything is built in a staging repository and enters the trusted one checked. */
export async function collect(staging: Staging, request: CollectRequest): Promise<Collected> {
  checkSha(request.startSha);
  const { startSha } = request;
  const head = await readSlotHead(staging.tree.slot);
  if (head === null) return { kind: 'rewritten', expected: startSha, observed: null };
  await writeSkeleton(staging.gitDir, { head: 'staging', bare: true, borrowsFrom: [staging.tree.mirror] });
  const tip = await buildTip(staging, request, head);
  if (tip.kind !== 'tip') return tip;
  if (tip.sha === startSha) return { kind: 'empty' };
  return deliver(staging, { startSha, sha: tip.sha });
}

async function buildTip(staging: Staging, request: CollectRequest, head: string): Promise<Tip> {
  const { startSha, message, trailer } = request;
  if (head !== startSha) {
    const refusal = await bringCommits(staging, startSha, head);
    if (refusal !== undefined) return refusal;
  }
  const leftovers = await gatherLeftovers(staging, head);
  if (leftovers.kind === 'too-large' || leftovers.kind === 'invalid') return leftovers;
  if (leftovers.kind === 'tree')
    return {
      kind: 'tip',
      sha: await makeCommit(staging, { parent: head, tree: leftovers.tree, message, trailer }),
    };
  return { kind: 'tip', sha: head === startSha ? head : await markCommit(staging, head, trailer) };
}

/** The lineage guard: an answer other than undefined means that nothing of the agent's commits is used. */
async function bringCommits(staging: Staging, startSha: string, head: string): Promise<Tip | undefined> {
  const { door, gitDir, tree, signal } = staging;
  const copy = { slot: tree.slot, staging: gitDir, maxBytes: door.limits.slotBytes, signal };
  const copied = await copyObjects(door.run, copy);
  if (copied.kind === 'too-large') return copied;
  const args = ['merge-base', '--is-ancestor', startSha, head];
  const { code } = await door.run({ action: `comparing ${startSha} with ${head}`, args, gitDir, signal });
  return code === 0 ? undefined : { kind: 'rewritten', expected: startSha, observed: head };
}

async function deliver({ door, tree, gitDir, signal }: Staging, range: Range): Promise<Collected> {
  const bundled = await makeBundle(door.run, { ...range, gitDir, signal }, door.limits.bundleBytes);
  if (bundled.kind === 'too-large') return bundled;
  const trusted = { ...range, gitDir: tree.trusted, signal };
  const imported = await importBundle(door.run, trusted, bundled.bundle);
  if (imported.kind === 'refused') return { kind: 'invalid', reason: imported.reason };
  const [commits, files] = await Promise.all([
    listCommits(door.run, trusted),
    listChangedFiles(door.run, trusted),
  ]);
  return { kind: 'collected', sha: range.sha, commits, files, bundle: bundled.bundle };
}
