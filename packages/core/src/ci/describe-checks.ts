import type { CheckStatus } from '../agent/turn-package.js';
import { type CheckRun, hasFailed } from './check-run.js';

/** Returns the known checks of one commit, failed checks first, because a long list may be cut. */
export function describeChecks(checks: readonly CheckRun[] | null, headSha: string): CheckStatus[] {
  return (checks ?? [])
    .filter((check) => check.headSha === headSha)
    .toSorted((a, b) => Number(hasFailed(b)) - Number(hasFailed(a)))
    .map(({ name, isDone, conclusion, url }) => ({
      name,
      status: isDone ? 'completed' : 'in_progress',
      conclusion: isDone ? conclusion : null,
      url,
    }));
}
