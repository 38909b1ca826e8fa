import { endTree } from './end-tree.js';
import { removeTree } from './remove-tree.js';
import { type FoundRun, isAlive, listRuns } from './run-record.js';

export type EndedOrphans = {
  /** Runs whose worker is gone; everything of them has ended. */
  ended: string[];
  /** Runs of which a process could not be ended; their slots must not be used. */
  stuck: string[];
};

/** To be called before slots are used: ends what a killed worker left behind. Runs of living workers are left alone. */
export async function endOrphans(runsDir: string): Promise<EndedOrphans> {
  const found: EndedOrphans = { ended: [], stuck: [] };
  for (const run of listRuns(runsDir)) {
    if (run.record !== undefined && isAlive(run.record.owner)) continue;
    const survivors = await endTree({ runId: run.runId, roots: listRoots(run) });
    if (survivors.length === 0) await removeTree(run.directory);
    (survivors.length === 0 ? found.ended : found.stuck).push(run.runId);
  }
  return found;
}

/** Only while the start time agrees: the number alone may belong to somebody else by now. */
function listRoots({ record }: FoundRun): number[] {
  const leader = record?.leader;
  return leader && isAlive(leader) ? [leader.pid] : [];
}
