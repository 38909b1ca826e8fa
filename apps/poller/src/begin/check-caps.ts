import { findCap } from '@mergexo/core/runs';
import type { Turn } from '@mergexo/core/turns';
import { endTurn } from '../lifecycle/end-turn.js';
import { readRunOf } from '../lifecycle/read-pull-of.js';
import { measureUse } from '../lifecycle/run/measure-use.js';
import { releaseRun } from '../lifecycle/run/run.js';
import type { Refreshed } from '../refreshed.js';
import type { Repo } from '../tools.js';
import { isUnmoved, MOVED, type RefreshTools } from './refresh-tools.js';

/**
 * Cancels a turn if other turns have used up the budget since this turn was opened. The next cycle hits the same limit
 * and posts the notice. A turn with a frozen plan continues, because its agent has already run.
 */
export function checkCaps(tools: RefreshTools, repo: Repo, turn: Turn): Refreshed {
  const { state } = tools;
  return state.transaction((): Refreshed => {
    const now = state.readTurn(turn.turnKey);
    const run = readRunOf(state, turn);
    if (now === undefined || run === undefined || now.planDigest !== null) return { kind: 'fresh' };
    const used = measureUse(tools, repo, run);
    // Leaves out this run and this turn, which the usage already includes.
    const counted = { ...used, openRuns: 0, openPulls: 0, turnsOfRun: used.turnsOfRun - 1 };
    const cap = findCap(tools.limits, counted);
    if (cap === undefined) return { kind: 'fresh' };
    if (!isUnmoved(now, turn)) return MOVED;
    const answers = state
      .listEventsOfFeedbackTurn(turn.turnKey)
      .some(({ processedAt }) => processedAt === null);
    endTurn(tools, now, { end: 'cancelled', reason: cap.reason });
    if (turn.prNumber === null) releaseRun(tools, run, answers);
    return { kind: 'refused', reason: cap.reason };
  });
}
