import { importBundle, makeBundle, type Range } from '../repository/bundle.js';
import { hasCommit } from '../repository/lineage.js';
import { type ChangedFile, listChangedFiles, listCommits } from '../repository/range.js';
import { writeSkeleton } from '../repository/write-skeleton.js';
import { checkSha } from '../run/check-names.js';
import type { Invalid } from '../run/refuse.js';
import { createFailure } from '../run/to-failure.js';
import { type Faulty, findFaults } from './find-faults.js';
import type { Tip } from './make-commit.js';
import type { Staging } from './staging.js';

export type Refused =
  /** The agent's HEAD does not descend from the start; null if its HEAD cannot be read. */
  | { kind: 'rewritten'; expected: string; observed: string | null }
  | { kind: 'too-large'; bytes: number }
  /** Git refuses it: broken objects, forbidden names. */
  | Invalid
  | Faulty;

export type Collected =
  | { kind: 'empty' }
  | Refused
  | { kind: 'collected'; sha: string; commits: string[]; files: ChangedFile[]; bundle: Buffer };

type Start = Pick<Range, 'startSha' | 'mergeParent'>;

/** Builds commits in the staging repository, checks them, and brings them into the trusted one. */
export async function buildAndDeliver(
  staging: Staging,
  { startSha, mergeParent }: Start,
  build: () => Promise<Tip | Refused>,
): Promise<Collected> {
  checkSha(startSha);
  const { mirror, trusted } = staging.tree;
  // The merge is computed in the trusted repository, where the agent's objects never are.
  const borrowsFrom = mergeParent === undefined ? [mirror] : [mirror, trusted];
  await writeSkeleton(staging.gitDir, { head: 'staging', bare: true, borrowsFrom });
  const tip = await build();
  if (tip.kind === 'tip' && tip.sha === startSha) return { kind: 'empty' };
  const collected =
    tip.kind === 'tip' ? await deliver(staging, { startSha, mergeParent, sha: tip.sha }) : tip;
  if (collected.kind === 'invalid' || collected.kind === 'rewritten') await checkStart(staging, startSha);
  return collected;
}

/** Throws if the mirror lost the start: then the agent is not to blame. Asks the trusted repository, which it cannot change. */
async function checkStart({ run, tree, signal }: Staging, startSha: string): Promise<void> {
  if (await hasCommit(run, { gitDir: tree.trusted, sha: startSha, signal })) return;
  throw createFailure(
    'unavailable',
    `${tree.label} lost ${startSha} while a turn was working on it; MergeXO retries`,
  );
}

/** Content that must not be pushed does not get past this, whoever made the commit. */
async function deliver(staging: Staging, range: Range): Promise<Collected> {
  const { run, limits, tree, gitDir, signal } = staging;
  const fault = await findFaults(run, { gitDir, signal }, range.sha);
  if (fault !== undefined) return fault;
  const bundled = await makeBundle(run, { ...range, gitDir, signal }, limits.bundleBytes);
  if (bundled.kind !== 'bundled') return bundled;
  const trusted = { ...range, gitDir: tree.trusted, signal };
  const imported = await importBundle(run, trusted, bundled.bundle);
  if (imported.kind === 'invalid') return imported;
  const [commits, files] = await Promise.all([listCommits(run, trusted), listChangedFiles(run, trusted)]);
  return { kind: 'collected', sha: range.sha, commits, files, bundle: bundled.bundle };
}
