import type { Config } from '@mergexo/config';
import { Failure } from '@mergexo/core/basics';
import { isCarried, type Turn } from '@mergexo/core/turns';
import type { PullRequest } from '@mergexo/github';
import type { Run } from '@mergexo/state';
import { later } from '../refreshed.js';
import type { ListTools } from '../threads/list-pull.js';
import type { Recent, Repo } from '../tools.js';

export type RefreshTools = ListTools &
  Recent & {
    repos: () => readonly Repo[];
    windowMs: number;
    limits: Config['limits'];
    /** Remaining time of a repository's rate-limit pause; 0 if the repository is not paused. */
    pauseMs: (repoId: number) => number;
    /** Finds a pull request of this run that is missing from the database, and records it. */
    adoptOwnPull: (repo: Repo, run: Run) => Promise<PullRequest | undefined>;
  };

export const MOVED = later('the turn changed while GitHub was read');

/** False if another attempt began, or the turn ended, while the poller read GitHub. */
export function isUnmoved(now: Turn, then: Turn): boolean {
  return isCarried(now) && now.epoch === then.epoch && now.begins.length === then.begins.length;
}

export async function within<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Failure('timed-out', 'GitHub did not respond in time. The turn starts later.')),
      limitMs,
    );
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
