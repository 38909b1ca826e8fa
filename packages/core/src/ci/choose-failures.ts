import { type CheckRun, type CiPolicy, hasFailed } from './check-run.js';

/**
 * Returns the failed check runs to respond to now. With the policy `all_complete`, there are none until every run of
 * the head has ended.
 */
export function chooseFailures(
  runs: readonly CheckRun[],
  { headSha, policy }: { headSha: string; policy: CiPolicy },
): CheckRun[] {
  if (policy === 'never') return [];
  const newest = keepNewest(runs.filter((run) => run.headSha === headSha));
  if (policy === 'all_complete' && newest.some(({ isDone }) => !isDone)) return [];
  return newest.filter(hasFailed);
}

/** Keeps only the latest of several runs with the same name. */
function keepNewest(runs: readonly CheckRun[]): CheckRun[] {
  const byName = new Map<string, CheckRun>();
  for (const run of [...runs].sort((a, b) => a.id - b.id || a.attempt - b.attempt))
    byName.set(`${run.source} ${run.name}`, run);
  return [...byName.values()].sort((a, b) => a.id - b.id);
}
