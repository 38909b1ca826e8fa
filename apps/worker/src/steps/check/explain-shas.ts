import { Failure } from '@mergexo/core/basics';
import type { Git } from '@mergexo/git';
import type { Merged, Work } from '../collect-work.js';
import type { Task } from '../task.js';
import { findClaimedShas } from './find-claimed-shas.js';

type Checks = {
  git: Pick<Git, 'isAncestor' | 'expandSha'>;
  task: Task;
  /** The commit that this turn merges into the branch. */
  merged?: Merged | null;
};

/**
 * Maximum number of shas in an answer. Each lookup may fetch from the remote, so MergeXO rejects an answer with more
 * shas without looking any of them up.
 */
const MAX_SHAS = 20;

/** Returns complaints for the agent about commits that its texts mention but the branch does not contain. */
export async function explainShas(checks: Checks, work: Work, texts: readonly string[]): Promise<string[]> {
  const complaints: string[] = [];
  const words = findClaimedShas(texts);
  if (words.length > MAX_SHAS)
    return [`${words.length} words look like commits, for example ${words[0]}; do not name commits by sha`];
  for (const word of words) {
    if (await isOfBranch(checks, work, word)) continue;
    complaints.push(`${word} is not a commit on this branch; do not name commits by sha`);
  }
  return complaints;
}

/** True if the branch will contain the commit after this turn. */
async function isOfBranch({ git, task, merged }: Checks, work: Work, word: string): Promise<boolean> {
  const made = work.kind === 'commit' ? work.commits : [];
  const heads = merged ? [task.startSha, merged.sha] : [task.startSha];
  if ([...heads, ...made].some((sha) => sha.startsWith(word))) return true;
  try {
    const sha = await git.expandSha(task.repo, word, task.signal);
    if (sha === undefined) return false;
    for (const head of heads)
      if (await git.isAncestor(task.repo, { older: sha, newer: head }, task.signal)) return true;
    return false;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not-found') return false;
    throw error;
  }
}
