import { isAdoptable, type Log } from '@mergexo/core';
import type { State } from '@mergexo/state';
import { recordEvents } from '../record-events.js';
import { awaitFollowup } from './end-start.js';

type Tools = { state: State; now: () => number; log: Log };

/**
 * Runs of earlier versions that ended before their pull request, for a reason that a person can answer, wait for that
 * answer from now on. Others are left as they are. Doing it again changes nothing.
 */
export function adoptLegacyRuns(tools: Tools): number {
  const { state } = tools;
  return state.transaction(() => {
    const failed = state.listRepositories().flatMap(({ id }) => state.listRuns(id, ['failed']));
    const adopted = failed.filter(
      (run) => isAdoptable(run) && !state.hasLiveRun(run.repoId, run.issueNumber),
    );
    for (const run of adopted) {
      const reason = run.error ?? '';
      awaitFollowup(tools, run, { waitKind: 'legacy', reason, checkpoint: null });
      const { repoId, id: runId, issueNumber } = run;
      recordEvents(tools, [{ type: 'run_adopted', repoId, runId, issueNumber, payload: { reason } }]);
    }
    return adopted.length;
  });
}
