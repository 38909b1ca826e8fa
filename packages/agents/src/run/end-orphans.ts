import { endTree, isAlive, removeTree } from '@mergexo/process';
import { type FoundRun, listRuns, listUnbegunRuns } from './run-record.js';

type EndedOrphans = {
  /** Ids of dead workers' runs that have no process left. */
  ended: string[];
  /** Ids of runs with a process that could not be killed. Their slots must not be used. */
  stuck: string[];
};

/**
 * Kills processes that a dead worker left behind, and retries those that a living worker could not kill. Does not touch
 * other runs of living workers. Call this before using slots.
 */
export async function endOrphans(runsDir: string): Promise<EndedOrphans> {
  const found: EndedOrphans = { ended: [], stuck: [] };
  for (const run of listRuns(runsDir)) {
    if (isOwned(run)) continue;
    const survivors = await endTree({ runId: run.runId, roots: listRoots(run) });
    if (survivors.length === 0) await removeRun(run);
    (survivors.length === 0 ? found.ended : found.stuck).push(run.runId);
  }
  for (const run of listUnbegunRuns(runsDir)) if (!isOwned(run)) await removeRun(run);
  return found;
}

/** Ignores errors, because the next worker retries a directory that cannot be removed. */
async function removeRun({ directory }: FoundRun): Promise<void> {
  await removeTree(directory).catch(() => {});
}

function isOwned({ record }: FoundRun): boolean {
  return record !== undefined && record.owner !== null && isAlive(record.owner);
}

/** Returns only a living leader, because the system may have reused the group or session of a dead one. */
function listRoots({ record }: FoundRun) {
  const leader = record?.leader;
  return leader && isAlive(leader) ? [leader] : [];
}
