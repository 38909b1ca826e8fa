import type { CheckStatus } from '../agent/turn-package.js';
import type { CheckRun } from './check-run.js';

/** Maximum number of checks in a prompt. More checks would crowd out the comments. */
const MAX_CHECKS = 50;

/** Returns the known checks of one commit. */
export function describeChecks(checks: readonly CheckRun[] | null, headSha: string): CheckStatus[] {
  return (checks ?? [])
    .filter((check) => check.headSha === headSha)
    .slice(0, MAX_CHECKS)
    .map(({ name, isDone, conclusion, url }) => ({
      name,
      status: isDone ? 'completed' : 'in_progress',
      conclusion: isDone ? conclusion : null,
      url,
    }));
}
