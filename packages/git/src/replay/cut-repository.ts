import { removeTree } from '@mergexo/process';
import { writeSkeleton } from '../repository/write-skeleton.js';
import { mustRun, type Repository } from '../run/run-git.js';
import { createFailure } from '../run/to-failure.js';

export type CutRequest = {
  /** The directory of the new repository. An existing one is replaced. */
  dir: string;
  head: string;
  /** Maps branches to their commits. The new repository contains only the history of these commits. */
  branches: Readonly<Record<string, string>>;
};

/**
 * Copies the history of some commits into a new repository that has no remote, no reflog, no tag and no borrowed
 * objects. Fails if any other object is left, because it could be a part of the solution.
 */
export async function cutRepository(
  { run, gitDir: source, signal }: Repository,
  { dir, head, branches }: CutRequest,
): Promise<void> {
  await removeTree(dir);
  await writeSkeleton(dir, { head, bare: true });
  const cut = { run, gitDir: dir, signal };
  const action = `copying history into ${dir}`;
  const refspecs = Object.entries(branches).map(([branch, sha]) => `+${sha}:refs/heads/${branch}`);
  const options = ['--quiet', '--no-tags', '--no-write-fetch-head'];
  const remote = { url: source, protocol: 'file', origin: undefined } as const;
  await mustRun(cut, { action, args: ['fetch', ...options, '--', source, ...refspecs], remote });
  await mustRun(cut, { action, args: ['repack', '-a', '-d', '-q'] });
  await mustRun(cut, { action, args: ['prune', '--expire=now'] });
  await refuseLeftovers(cut, dir);
}

async function refuseLeftovers(cut: Repository, dir: string): Promise<void> {
  const action = `checking the objects of ${dir}`;
  const present = await mustRun(cut, {
    action,
    args: ['cat-file', '--batch-all-objects', '--batch-check=%(objectname)'],
  });
  const reachable = await mustRun(cut, {
    action,
    args: ['rev-list', '--objects', '--no-object-names', '--all'],
  });
  const count = (lines: Buffer): number => new Set(lines.toString('latin1').split('\n').filter(Boolean)).size;
  const left = count(present) - count(reachable);
  if (left !== 0)
    throw createFailure('invalid-data', `${dir} contains ${left} objects that no branch reaches; remove it`);
}
