import { type BlockedBy, explainBlocked, findBlockedBy, renderHeldReason } from '@mergexo/core/scheduler';
import type { Run, State } from '@mergexo/state';
import { recordEvents } from '../lifecycle/record-events.js';
import { unparkRun } from '../lifecycle/run/run.js';
import { updateRun } from '../lifecycle/update.js';
import type { Records, Repo } from '../tools.js';

/** Returns the open issues that block the issue of a run on GitHub; null if there are none. */
export function readBlockedBy(state: State, { repoId, issueNumber }: Run): BlockedBy | null {
  const blockers = state.readBlockers(repoId, issueNumber);
  return blockers === undefined ? null : findBlockedBy(blockers);
}

/** Records why the first turn of a run does not start. Records an event only if the reason changed. */
export function holdBlocked(
  tools: Records,
  repo: Repo,
  { id, blockedBy }: { id: number; blockedBy: BlockedBy },
): void {
  const { state } = tools;
  const reason = renderHeldReason(explainBlocked(blockedBy, repo.config.fullName));
  state.transaction(() => {
    const run = state.readRun(id);
    if (run === undefined || run.status !== 'ready' || run.schedule?.reason === reason) return;
    const schedule = { score: null, risk: null, reason };
    updateRun(tools, run, { schedule });
    const { repoId, issueNumber } = run;
    recordEvents(tools, [{ type: 'start_held', repoId, runId: id, issueNumber, payload: { reason } }]);
  });
}

/** Holds back the first turn of a run while other issues block its issue. Returns true if they do. */
export function holdWhileBlocked(tools: Records, repo: Repo, run: Run): boolean {
  const blockedBy = readBlockedBy(tools.state, run);
  if (blockedBy === null) {
    if (run.schedule !== null) tools.state.transaction(() => updateRun(tools, run, { schedule: null }));
    return false;
  }
  unparkRun(tools, run);
  holdBlocked(tools, repo, { id: run.id, blockedBy });
  return true;
}
