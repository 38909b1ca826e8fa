import { explainBlocked, renderHeldReason } from '@mergexo/core/scheduler';
import { StartContext, type Turn } from '@mergexo/core/turns';
import type { Issue } from '@mergexo/github';
import type { Run } from '@mergexo/state';
import { endTurn } from '../lifecycle/end-turn.js';
import { releaseRun } from '../lifecycle/run/run.js';
import type { Refreshed } from '../refreshed.js';
import { refreshBlockers } from '../threads/refresh-blockers.js';
import type { Repo } from '../tools.js';
import { isUnmoved, MOVED, type RefreshTools } from './refresh-tools.js';

/** Cancels the first turn of a run if other issues block its issue by now. The run waits for them. */
export async function checkBlockers(
  tools: RefreshTools,
  repo: Repo,
  { turn, run, issue }: { turn: Turn; run: Run; issue: Issue },
): Promise<Refreshed> {
  const { state } = tools;
  const isFirst = StartContext.parse(state.readTurnContext(turn.turnKey)).followup === null;
  if (issue.blockedBy === 0 || turn.planDigest !== null || !isFirst) return { kind: 'fresh' };
  const blockedBy = await refreshBlockers(tools, repo, { number: issue.number, count: issue.blockedBy });
  if (blockedBy === null) return { kind: 'fresh' };
  const reason = renderHeldReason(explainBlocked(blockedBy, repo.config.fullName));
  return state.transaction((): Refreshed => {
    const now = state.readTurn(turn.turnKey);
    const known = state.readRun(run.id);
    if (now === undefined || known === undefined || !isUnmoved(now, turn)) return MOVED;
    endTurn(tools, now, { end: 'cancelled', reason });
    releaseRun(tools, known, false);
    return { kind: 'refused', reason };
  });
}
