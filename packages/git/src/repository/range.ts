import { mustRun, type RunGit } from '../run/run-git.js';
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
  const args = ['diff-tree', '-r', '-z', '--no-renames', '--no-ext-diff', '--name-status', startSha, sha];
  const { stdout } = await mustRun(run, {
    action: `comparing ${startSha} with ${sha}`,
    args,
    gitDir,
    signal,
  });
  const words = stdout.toString().split('\0');
  const files: ChangedFile[] = [];
  for (let index = 0; index + 1 < words.length; index += 2) {
    files.push({ path: words[index + 1] ?? '', status: STATUS[words[index] ?? ''] ?? 'modified' });
  }
  return files;
}

export type CompareRequest = {
  base: string;
  head: string;
  /** The list is cut here; `total` tells how many there are. */
  maxFiles: number;
};

export type Comparison = {
  /** Null when the two have nothing in common; then the trees themselves are compared. */
  mergeBase: string | null;
  files: ChangedFile[];
  total: number;
};

/** What the head changed since it left the base, as a pull request shows it. */
export async function compareCommits(
  run: RunGit,
  { base, head, maxFiles, ...place }: CompareRequest & Pick<BundleJob, 'gitDir' | 'signal'>,
): Promise<Comparison> {
  const mergeBase = await findMergeBase(run, { older: base, newer: head, ...place });
  const all = await listChangedFiles(run, { startSha: mergeBase ?? base, sha: head, ...place });
  return { mergeBase, files: all.slice(0, maxFiles), total: all.length };
}

const STATUS: Readonly<Record<string, ChangedFile['status']>> = {
  A: 'added',
  D: 'deleted',
  T: 'type-changed',
};
