import type { FindSecrets } from '@mergexo/core/text';
import { copyExcludes } from '../checkout/exclude-created.js';
import { type Faulty, findFaults, type TooLarge } from '../faults/find-faults.js';
import { importBundle, makeBundle, type Range } from '../repository/bundle.js';
import { hasCommit } from '../repository/lineage.js';
import { type ChangedFile, listChangedFiles, listCommits } from '../repository/read-commits.js';
import { writeSkeleton } from '../repository/write-skeleton.js';
import { checkSha } from '../run/check-names.js';
import type { Invalid } from '../run/refuse.js';
import { createFailure } from '../run/to-failure.js';
import type { Tip } from './make-commit.js';
import { measureTurn } from './measure-turn.js';
import type { Staging } from './staging.js';

export type Refused =
  /** The agent's HEAD does not descend from the start. `observed` is null if HEAD cannot be read. */
  | { kind: 'rewritten'; expected: string; observed: string | null }
  | TooLarge
  /** Git refuses the content, such as broken objects or forbidden names. */
  | Invalid
  | Faulty;

export type Collected =
  | { kind: 'empty' }
  | Refused
  | { kind: 'collected'; sha: string; commits: string[]; files: ChangedFile[]; bundle: Buffer };

type Start = Pick<Range, 'startSha' | 'mergeParent'> & { findSecrets?: FindSecrets };

/** Builds commits in the staging repository, checks them, and imports them into the trusted repository. */
export async function buildAndDeliver(
  staging: Staging,
  { startSha, mergeParent, findSecrets }: Start,
  build: () => Promise<Tip | Refused>,
): Promise<Collected> {
  checkSha(startSha);
  const { mirror, trusted } = staging.tree;
  // The merge is computed in the trusted repository, which never contains unchecked objects from the agent.
  const borrowsFrom = mergeParent === undefined ? [mirror] : [mirror, trusted];
  await writeSkeleton(staging.gitDir, { head: 'staging', bare: true, borrowsFrom });
  await copyExcludes(trusted, staging.gitDir);
  const tip = await build();
  if (tip.kind === 'tip' && tip.sha === startSha) return { kind: 'empty' };
  const collected =
    tip.kind === 'tip' ? await deliver(staging, { startSha, mergeParent, sha: tip.sha }, findSecrets) : tip;
  if (collected.kind === 'invalid' || collected.kind === 'rewritten') await checkStart(staging, startSha);
  return collected;
}

/**
 * Throws if the mirror lost the start. The agent did not cause that, because it cannot change the trusted repository.
 */
async function checkStart(staging: Staging, startSha: string): Promise<void> {
  const { tree } = staging;
  if (await hasCommit({ ...staging, gitDir: tree.trusted }, startSha)) return;
  throw createFailure(
    'unavailable',
    `the local mirror of ${tree.label} lost commit ${startSha} during a turn; MergeXO will retry`,
  );
}

/** Rejects content that must not be pushed, in commits of both the agent and MergeXO. */
async function deliver(
  staging: Staging,
  range: Range,
  findSecrets: FindSecrets | undefined,
): Promise<Collected> {
  const fault = (await measureTurn(staging, range)) ?? (await findFaults(staging, range.sha, findSecrets));
  if (fault !== undefined) return fault;
  const bundled = await makeBundle(staging, range, staging.limits.bundleBytes);
  if (bundled.kind !== 'bundled') return bundled;
  const { bundle } = bundled;
  const trusted = { ...staging, gitDir: staging.tree.trusted };
  const imported = await importBundle(trusted, range, bundle);
  if (imported.kind === 'invalid') return imported;
  const [commits, files] = await Promise.all([listCommits(trusted, range), listChangedFiles(trusted, range)]);
  return { kind: 'collected', sha: range.sha, commits, files, bundle };
}
