import { endTree, isAlive, removeTree } from '@mergexo/process';
import { type FoundRun, listRuns, listUnbegunRuns } from './run-record.js';

type EndedOrphans = {
  /** Runs of dead workers of which no process is left. */
  ended: string[];
  /** Runs with a process that could not be killed; their slots must not be used. */
  stuck: string[];
};

/**
 * Call before using slots. Kills processes that a dead worker left behind, and retries those that a living worker could
 * not kill. Other runs of living workers are not touched.
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

/** The next worker retries a directory that cannot be removed. */
async function removeRun({ directory }: FoundRun): Promise<void> {
  await removeTree(directory).catch(() => {});
}

function isOwned({ record }: FoundRun): boolean {
  return record !== undefined && record.owner !== null && isAlive(record.owner);
}

/** Only a living leader: the system may have given the group or session of a dead one to other processes. */
function listRoots({ record }: FoundRun) {
  const leader = record?.leader;
  return leader && isAlive(leader) ? [leader] : [];
}
