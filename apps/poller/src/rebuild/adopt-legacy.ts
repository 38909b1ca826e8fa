import { buildBranchName } from '@mergexo/core/flows';
import { isAdoptable } from '@mergexo/core/runs';
import { buildSlug } from '@mergexo/core/text';
import type { Run } from '@mergexo/state';
import { recordEvents } from '../lifecycle/record-events.js';
import { awaitFollowup } from '../lifecycle/run/end-start.js';
import type { Records } from '../tools.js';

/**
 * Makes failed runs of earlier versions wait for a reply, if they failed before they had a pull request and a
 * reply can help. Running this again changes nothing.
 */
export function adoptLegacyRuns(tools: Records): number {
  const { state } = tools;
  return state.transaction(() => {
    const repositories = state.listRepositories();
    for (const { id } of repositories)
      for (const run of state.listRuns(id, ['awaiting_issue_followup'])) completeWaiting(tools, run);
    const failed = repositories.flatMap(({ id }) => state.listRuns(id, ['failed']));
    return failed.filter((run) => adopt(tools, run)).length;
  });
}

/** Adopts only the newest run of an issue, because that run replaced the earlier ones. */
function adopt(tools: Records, run: Run): boolean {
  const { state } = tools;
  const [newest] = state.listRunsOfIssue(run.repoId, run.issueNumber);
  if (!isAdoptable(run) || newest?.id !== run.id) return false;
  const name = { ...run, slug: buildSlug(run.issueTitle) };
  const reason = run.error ?? '';
  const adopted = { ...run, branch: run.branch ?? buildBranchName(name) };
  awaitFollowup(tools, adopted, { waitKind: 'legacy', reason, checkpoint: null });
  const { repoId, id: runId, issueNumber } = run;
  recordEvents(tools, [{ type: 'run_adopted', repoId, runId, issueNumber, payload: { reason } }]);
  return true;
}

/** Adds the follow-up state that earlier versions did not record. */
function completeWaiting({ state, now }: Records, run: Run): void {
  const { repoId, issueNumber, flow, branch, error } = run;
  if (state.readFollowup(repoId, issueNumber) !== undefined) return;
  const context = { waitKind: 'legacy' as const, checkpoint: null };
  state.saveFollowup(
    { repoId, issueNumber, flow, branch: branch ?? '', context, waitingReason: error ?? '' },
    now(),
  );
}
