import type { RunGit } from './run-git.js';

export type Kinship = { gitDir: string; older: string; newer: string; signal?: AbortSignal | undefined };

export type Sought = { gitDir: string; sha: string; signal?: AbortSignal | undefined };

/** False also when either commit is not there: then the repository cannot vouch for it. */
export async function isAncestorIn(run: RunGit, { gitDir, older, newer, signal }: Kinship): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', older, newer];
  const { code } = await run({ action: `comparing ${older} with ${newer}`, args, gitDir, signal });
  return code === 0;
}

export async function hasCommit(run: RunGit, { gitDir, sha, signal }: Sought): Promise<boolean> {
  const args = ['cat-file', '-e', `${sha}^{commit}`];
  const { code } = await run({ action: `looking for ${sha}`, args, gitDir, signal });
  return code === 0;
}

/** Whether any branch leads to the commit. */
export async function isOnSomeBranch(run: RunGit, { gitDir, sha, signal }: Sought): Promise<boolean> {
  const args = ['for-each-ref', '--count=1', `--contains=${sha}`, 'refs/heads'];
  const { code, stdout } = await run({ action: `looking for ${sha}`, args, gitDir, signal });
  return code === 0 && stdout.length > 0;
}
