import { mustRun, type Place, type RunGit } from '../run/run-git.js';
import { toFailure } from '../run/to-failure.js';

type Pair = Place & { older: string; newer: string };
type Sought = Place & { sha: string };

/** False also when the repository lacks one of the commits. */
export async function isAncestorIn(run: RunGit, pair: Pair): Promise<boolean> {
  const { older, newer, ...place } = pair;
  const args = ['merge-base', '--is-ancestor', older, newer];
  const action = `comparing ${older} with ${newer}`;
  const ran = await run({ action, args, ...place });
  if (ran.code === 0 || ran.code === 1) return ran.code === 0;
  // A git that fails for another reason is no answer: the caller would give up a plan for it.
  for (const sha of [older, newer]) if (!(await hasCommit(run, { ...place, sha }))) return false;
  throw toFailure({ action, ...ran });
}

/** The full sha; undefined if the name is unknown, ambiguous or not that of a commit. */
export async function findCommit(run: RunGit, { gitDir, sha, signal }: Sought): Promise<string | undefined> {
  const action = `looking for ${sha}`;
  const input = Buffer.from(`${sha}\n`);
  const args = ['cat-file', '--batch-check=%(objecttype) %(objectname)'];
  const { stdout } = await mustRun(run, { action, args, gitDir, input, signal });
  return /^commit ([0-9a-f]{40})$/.exec(stdout.toString().trim())?.[1];
}

export async function hasCommit(run: RunGit, sought: Sought): Promise<boolean> {
  return (await findCommit(run, sought)) === sought.sha;
}

/** True if some branch contains the commit. */
export async function isOnSomeBranch(run: RunGit, sought: Sought): Promise<boolean> {
  if (!(await hasCommit(run, sought))) return false;
  const { gitDir, sha, signal } = sought;
  const args = ['for-each-ref', '--count=1', `--contains=${sha}`, 'refs/heads'];
  const { stdout } = await mustRun(run, { action: `looking for ${sha}`, args, gitDir, signal });
  return stdout.length > 0;
}

/** The newest common ancestor; null when their histories have nothing in common. */
export async function findMergeBase(run: RunGit, pair: Pair): Promise<string | null> {
  const { older, newer, ...place } = pair;
  const action = `comparing ${older} with ${newer}`;
  const ran = await run({ action, args: ['merge-base', older, newer], ...place });
  if (ran.code > 1 || ran.code < 0) throw toFailure({ action, ...ran });
  return ran.stdout.toString().trim() || null;
}
