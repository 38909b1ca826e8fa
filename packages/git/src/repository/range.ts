import { mustRun, type Place, type RunGit } from '../run/run-git.js';
import { type BundleJob, excludeKnown } from './bundle.js';
import { findMergeBase } from './lineage.js';

export type ChangedFile = { path: string; status: 'added' | 'modified' | 'deleted' | 'type-changed' };

/** Oldest first. */
export async function listCommits(run: RunGit, job: BundleJob): Promise<string[]> {
  const { startSha, sha, gitDir, signal } = job;
  const args = ['rev-list', '--reverse', '--topo-order', sha, ...excludeKnown(job)];
  const { stdout } = await mustRun(run, { action: `listing ${startSha}..${sha}`, args, gitDir, signal });
  return stdout.toString().split('\n').filter(Boolean);
}

/** Between the two trees; a moved file is one deleted and one added. Bytes that are no UTF-8 read as U+FFFD. */
export async function listChangedFiles(run: RunGit, job: BundleJob): Promise<ChangedFile[]> {
  const { startSha, sha, gitDir, signal } = job;
  const changes = await diffTrees(run, { gitDir, signal }, [startSha, sha]);
  return [...changes].map(([path, letter]) => ({
    path: Buffer.from(path, 'latin1').toString(),
    status: STATUS[letter] ?? 'modified',
  }));
}

/** Paths (bytes, one character each) with git's status letter. */
export async function diffTrees(
  run: RunGit,
  place: Place,
  trees: readonly [older: string, newer: string],
): Promise<ReadonlyMap<string, string>> {
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--no-ext-diff', '--name-status', ...trees];
  const { stdout } = await mustRun(run, { action: `comparing ${trees.join(' with ')}`, args, ...place });
  const words = stdout.toString('latin1').split('\0');
  const files = new Map<string, string>();
  for (let index = 0; index + 1 < words.length; index += 2)
    files.set(words[index + 1] ?? '', words[index] ?? '');
  return files;
}

export type CompareRequest = {
  base: string;
  head: string;
  /** Length at which the list is cut. */
  maxFiles: number;
};

/** Files that the head changed since it diverged from the base, as a pull request shows them. */
export async function compareCommits(
  run: RunGit,
  { base, head, maxFiles, ...place }: CompareRequest & Place,
): Promise<ChangedFile[]> {
  const mergeBase = await findMergeBase(run, { older: base, newer: head, ...place });
  const files = await listChangedFiles(run, { startSha: mergeBase ?? base, sha: head, ...place });
  return files.slice(0, maxFiles);
}

const STATUS: Readonly<Record<string, ChangedFile['status']>> = {
  A: 'added',
  D: 'deleted',
  T: 'type-changed',
};
