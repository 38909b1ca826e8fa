import { findCap } from '@mergexo/core/runs';
import type { Turn } from '@mergexo/core/turns';
import { endTurn } from '../lifecycle/end-turn.js';
import { measureUse } from '../lifecycle/run/measure-use.js';
import { releaseRun } from '../lifecycle/run/run.js';
import type { Refreshed } from '../refreshed.js';
import { later } from '../refreshed.js';
import type { Repo } from '../tools.js';
import { isUnmoved, type RefreshTools } from './refresh-tools.js';

/**
 * Other turns may have used up the budget since this one was opened, so only running turns may exceed it. The turn ends and
 * its work waits again: the next cycle finds the same limit where it opens turns, and tells people there. A frozen plan
 * costs nothing more and goes on.
 */
export function checkCaps(tools: RefreshTools, repo: Repo, turn: Turn): Refreshed {
  const { state } = tools;
  return state.transaction((): Refreshed => {
    const now = state.readTurn(turn.turnKey);
    const run = turn.runId === null ? undefined : state.readRun(turn.runId);
    if (now === undefined || run === undefined || now.planDigest !== null) return { kind: 'fresh' };
    const used = measureUse(tools, repo, run);
    // The run is open already, and this turn is one of those that were counted.
    const counted = { ...used, openRuns: 0, openPulls: 0, turnsOfRun: used.turnsOfRun - 1 };
    const cap = findCap(tools.limits, counted);
    if (cap === undefined) return { kind: 'fresh' };
    if (!isUnmoved(now, turn)) return later('the turn moved on meanwhile');
    const answers = state
      .listEventsOfFeedbackTurn(turn.turnKey)
      .some(({ processedAt }) => processedAt === null);
    endTurn(tools, now, 'cancelled', cap.reason);
    if (turn.prNumber === null) releaseRun(tools, run, answers);
    return { kind: 'refused', reason: cap.reason };
  });
}
