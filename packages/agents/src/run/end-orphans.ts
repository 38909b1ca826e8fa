import { endTree, isAlive, removeTree } from '@mergexo/process';
import { type FoundRun, listRuns, listUnbegunRuns } from './run-record.js';

type EndedOrphans = {
  /** Runs whose worker is gone; everything of them has ended. */
  ended: string[];
  /** Runs of which a process could not be ended; their slots must not be used. */
  stuck: string[];
};

/**
 * To be called before slots are used: ends what a killed worker left behind, and tries again what a living one could not
 * end. Other runs of living workers are left alone.
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

/** A directory that cannot be removed is tried again by the next worker. */
async function removeRun({ directory }: FoundRun): Promise<void> {
  await removeTree(directory).catch(() => {});
}

function isOwned({ record }: FoundRun): boolean {
  return record !== undefined && record.owner !== null && isAlive(record.owner);
}

/** Only one that lives: after a long time also the group or session of a dead leader may be somebody else's. */
function listRoots({ record }: FoundRun) {
  const leader = record?.leader;
  return leader && isAlive(leader) ? [leader] : [];
}
