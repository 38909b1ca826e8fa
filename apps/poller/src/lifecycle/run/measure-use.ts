import type { findCap } from '@mergexo/core/runs';
import type { Run, State } from '@mergexo/state';
import type { Repo } from '../../tools.js';
import { readLastWait } from './end-start.js';

const DAY = 24 * 3_600_000;

/** Measures usage for the limits: since the last reset by an operator, and per day from midnight UTC. */
export function measureUse(
  { state, now }: { state: State; now: () => number },
  repo: Repo,
  run: Run,
): Parameters<typeof findCap>[1] {
  const ofRun = state.sumSpendOfRun(run.id, run.clearedAt);
  const today = state.sumSpendSince(Math.max(now() - (now() % DAY), run.clearedAt));
  const turns = state.listTurnsOfRun(run.id).filter(({ openedAt }) => openedAt >= run.clearedAt);
  const waitedAt = readLastWait(state, run);
  return {
    openRuns: state.listRuns(repo.id, ['running', 'awaiting_issue_followup', 'awaiting_feedback']).length,
    openPulls: state.listWatchedPulls(repo.id).length,
    // Failed reviews do not count, because they must not prevent replies to people.
    failuresOfRun: turns
      .filter(({ kind, openedAt }) => kind !== 'review' && openedAt > waitedAt)
      .reduce((sum, { agentFailures }) => sum + agentFailures, 0),
    turnsOfRun: turns.length,
    tokensOfRun: ofRun.inputTokens + ofRun.outputTokens,
    costOfRun: ofRun.costUsd,
    tokensToday: today.inputTokens + today.outputTokens,
    costToday: today.costUsd,
  };
}
