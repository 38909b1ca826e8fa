import type { Config } from '@mergexo/config';
import { Failure } from '@mergexo/core/basics';
import { isCarried, type Turn } from '@mergexo/core/turns';
import type { PullRequest } from '@mergexo/github';
import type { Run } from '@mergexo/state';
import type { ListTools } from '../threads/list-pull.js';
import type { Repo } from '../tools.js';

export type RefreshTools = ListTools & {
  repos: () => readonly Repo[];
  windowMs: number;
  limits: Config['limits'];
  /** How long GitHub wants to be left alone about a repository; 0 when it does not. */
  pauseMs: (repoId: number) => number;
  /** Finds a pull request of this run that GitHub shows and the database does not know, and records it. */
  adoptOwnPull: (repo: Repo, run: Run) => Promise<PullRequest | undefined>;
};

/** Another attempt may have begun, or the turn may have ended, while we looked. */
export function isUnmoved(now: Turn, then: Turn): boolean {
  return isCarried(now) && now.epoch === then.epoch && now.begins.length === then.begins.length;
}

export async function within<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Failure('timed-out', 'GitHub is slow; the turn begins later.')),
      limitMs,
    );
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
