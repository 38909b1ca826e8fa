import type { TooLarge } from '../faults/find-faults.js';
import { listIntroduced } from '../faults/list-introduced.js';
import { measureBlobs } from '../repository/read-blobs.js';
import { listOwn } from './adopt-commits.js';
import { makeCommit } from './make-commit.js';
import type { Staging } from './staging.js';

type Turn = { startSha: string; sha: string; mergeParent?: string | undefined };

/**
 * Limits what all commits of a turn change together, because a checkout writes all of it. Many small commits can add the
 * same large file under many names. Ignores what the turn merged from branches of the remote.
 */
export async function measureTurn(
  staging: Staging,
  { startSha, sha, mergeParent }: Turn,
): Promise<TooLarge | undefined> {
  const own = await listOwn(staging, { startSha, head: sha, ...(mergeParent && { mergeParent }) });
  const known = new Set(own.map((commit) => commit.sha));
  const parents = new Set(own.flatMap((commit) => commit.parents).filter((parent) => !known.has(parent)));
  const request = { parents: [...parents], tree: `${sha}^{tree}`, message: 'All changes', trailers: [] };
  const whole = await makeCommit(staging, request);
  const { slotBytes } = staging.limits;
  // The checks on the commits refuse a tree that git cannot read.
  if (whole.kind === 'invalid') return undefined;
  const entries = await listIntroduced(staging, whole.sha);
  if (entries === 'too-many') return { kind: 'too-large', bytes: slotBytes };
  const { totalBytes } = await measureBlobs(
    staging,
    entries.filter(({ isFolder }) => !isFolder).map(({ id }) => id),
  );
  return totalBytes > slotBytes ? { kind: 'too-large', bytes: totalBytes } : undefined;
}
