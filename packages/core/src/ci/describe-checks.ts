import type { CheckRun } from './check-run.js';

/** What an agent is told of a check. */
export type CheckStatus = { name: string; status: string; conclusion: string | null; url: string };

/** More would crowd out the comments; a commit with more checks has them grouped in runs. */
const MAX_CHECKS = 50;

/** The checks of one commit, as far as they are known. */
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
