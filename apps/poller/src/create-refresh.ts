import type { Turn } from '@mergexo/core/turns';
import { createBeginCheck } from './begin/create-begin-check.js';
import type { RefreshTools } from './begin/refresh-tools.js';
import { adoptOwnPull } from './rebuild/adopt-pull.js';
import type { Refreshed } from './refreshed.js';

/**
 * Creates the check that a `begin` message waits for. The check also searches for pull requests that a restored
 * database lacks.
 */
export function createRefresh(
  tools: () => Omit<RefreshTools, 'adoptOwnPull'> | undefined,
): (turn: Turn) => Promise<Refreshed> {
  return createBeginCheck(() => {
    const ready = tools();
    return ready && { ...ready, adoptOwnPull: (repo, run) => adoptOwnPull(ready, repo, run) };
  });
}
