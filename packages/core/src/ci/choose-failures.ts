import { type CheckRun, type CiPolicy, hasFailed } from './check-run.js';

/** The failed runs that are to be answered now: at once, or when all runs of the head have ended. */
export function chooseFailures(
  runs: readonly CheckRun[],
  { headSha, policy }: { headSha: string; policy: CiPolicy },
): CheckRun[] {
  if (policy === 'never') return [];
  const newest = keepNewest(runs.filter((run) => run.headSha === headSha));
  if (policy === 'all_complete' && newest.some(({ isDone }) => !isDone)) return [];
  return newest.filter(hasFailed);
}

/** Of runs with the same name only the last counts: it was started anew since. */
function keepNewest(runs: readonly CheckRun[]): CheckRun[] {
  const byName = new Map<string, CheckRun>();
  for (const run of [...runs].sort((a, b) => a.id - b.id || a.attempt - b.attempt))
    byName.set(`${run.source} ${run.name}`, run);
  return [...byName.values()].sort((a, b) => a.id - b.id);
}
