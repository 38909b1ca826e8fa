import { mustRun, type Repository, runIn } from '../run/run-git.js';
import { toFailure } from '../run/to-failure.js';

type Pair = { older: string; newer: string };

/** True if `older` is an ancestor of `newer`. Also false if the repository lacks one of the commits. */
export async function isAncestorIn(repository: Repository, { older, newer }: Pair): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', older, newer];
  const action = `comparing ${older} with ${newer}`;
  const ran = await runIn(repository, { action, args });
  if (ran.code === 0 || ran.code === 1) return ran.code === 0;
  // Any other exit code is an error. Treating it as "no" would make the caller discard a plan.
  for (const sha of [older, newer]) if (!(await hasCommit(repository, sha))) return false;
  throw toFailure({ action, ...ran });
}

/** Returns the full sha, or undefined if the name is unknown, ambiguous or does not name a commit. */
export async function findCommit(repository: Repository, sha: string): Promise<string | undefined> {
  const input = Buffer.from(`${sha}\n`);
  const args = ['cat-file', '--batch-check=%(objecttype) %(objectname)'];
  const stdout = await mustRun(repository, { action: `looking for ${sha}`, args, input });
  return /^commit ([0-9a-f]{40})$/.exec(stdout.toString().trim())?.[1];
}

export async function hasCommit(repository: Repository, sha: string): Promise<boolean> {
  return (await findCommit(repository, sha)) === sha;
}

/** True if some branch contains the commit. */
export async function isOnSomeBranch(repository: Repository, sha: string): Promise<boolean> {
  if (!(await hasCommit(repository, sha))) return false;
  const args = ['for-each-ref', '--count=1', `--contains=${sha}`, 'refs/heads'];
  const stdout = await mustRun(repository, { action: `looking for ${sha}`, args });
  return stdout.length > 0;
}

/** Returns the best common ancestor, or null if there is none. */
export async function findMergeBase(repository: Repository, { older, newer }: Pair): Promise<string | null> {
  const action = `comparing ${older} with ${newer}`;
  const ran = await runIn(repository, { action, args: ['merge-base', older, newer] });
  if (ran.code > 1 || ran.code < 0) throw toFailure({ action, ...ran });
  return ran.stdout.toString().trim() || null;
}
