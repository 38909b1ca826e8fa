import type { Turn } from '@mergexo/core/turns';
import { createBeginCheck } from './begin/create-begin-check.js';
import type { RefreshTools } from './begin/refresh-tools.js';
import { adoptOwnPull } from './rebuild/adopt-pull.js';
import type { Refreshed } from './refreshed.js';

/** Connects the check before a turn begins with the search for pull requests that a restored database does not know. */
export function createRefresh(
  tools: () => Omit<RefreshTools, 'adoptOwnPull'> | undefined,
): (turn: Turn) => Promise<Refreshed> {
  return createBeginCheck(() => {
    const ready = tools();
    return ready && { ...ready, adoptOwnPull: (repo, run) => adoptOwnPull(ready, repo, run) };
  });
}
