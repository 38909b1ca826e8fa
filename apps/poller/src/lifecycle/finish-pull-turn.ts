import type { Plan, Turn } from '@mergexo/core/turns';
import type { Pull, Run } from '@mergexo/state';
import type { Records } from '../tools.js';
import { completeTurn } from './turn.js';

/** Saves events, session and head together, so that MergeXO never answers a comment twice. Requires a transaction. */
export function finishPullTurn(
  tools: Records,
  turn: Turn,
  { pull, run, plan, headSha }: { pull: Pull; run: Run; plan: Plan; headSha: string },
): void {
  const { state, now } = tools;
  const keys = state.listEventsOfFeedbackTurn(turn.turnKey).map(({ eventKey }) => eventKey);
  // Every reply was posted or permanently refused, so another turn could not do more.
  for (const eventKey of keys) state.markEventProcessed({ repoId: turn.repoId, eventKey }, now());
  if (plan.session !== null) {
    const { adapter, threadId } = plan.session;
    const last = keys.at(-1);
    const { stateSummary } = plan;
    const processed = last === undefined ? {} : { lastProcessedEventKey: last };
    state.saveSession({ runId: run.id, adapter, threadId, stateSummary, ...processed }, now());
  }
  state.savePull({ ...pull, headSha, acceptedHeadSha: headSha, acceptedAt: now() }, now());
  completeTurn(tools, turn, { events: keys.length });
}
