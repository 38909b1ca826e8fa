import type { BundleJob } from './bundle.js';
import { mustRun, type RunGit } from './run-git.js';

export type ChangedFile = { path: string; status: 'added' | 'modified' | 'deleted' | 'type-changed' };

/** Oldest first. */
export async function listCommits(
  run: RunGit,
  { startSha, sha, gitDir, signal }: BundleJob,
): Promise<string[]> {
  const args = ['rev-list', '--reverse', '--topo-order', sha, `^${startSha}`];
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

const STATUS: Readonly<Record<string, ChangedFile['status']>> = {
  A: 'added',
  D: 'deleted',
  T: 'type-changed',
};
