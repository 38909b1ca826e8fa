import {
  type AnsweredThread,
  coverEvents,
  type DesignThreads,
  FeedbackContext,
  keepNewestThreads,
} from '@mergexo/core/turns';
import type { Run, State } from '@mergexo/state';

const MAX_WORDS = 2_000;

/** Returns questions and answers from a design's review, oldest first, with the latest answer of each thread. */
export function listDecisions(state: State, design: Run): DesignThreads {
  const decisions = new Map<string, AnsweredThread>();
  for (const turn of state.listTurnsOfRun(design.id)) {
    const result = turn.prNumber === null ? undefined : state.readPlan(turn.turnKey)?.plan.result;
    if (turn.state !== 'done' || result?.kind !== 'answer') continue;
    const { events } = FeedbackContext.parse(state.readTurnContext(turn.turnKey));
    const { byReply, byGeneral } = coverEvents(events, result);
    const asked = (keys: readonly string[]) => events.filter(({ key }) => keys.includes(key));
    for (const { commentId, rootId, body } of result.replies) {
      const [event] = asked(byReply.get(commentId) ?? []);
      if (event !== undefined) keep(decisions, `thread:${rootId}`, decide([event], body));
    }
    const rest = asked(byGeneral);
    if (result.general !== null && rest.length > 0)
      keep(decisions, turn.turnKey, decide(rest, result.general));
  }
  return keepNewestThreads([...decisions.values()]);
}

/**
 * Saves the decision at the end of the map. Deletes the key first, because a map keeps the position of an existing
 * key.
 */
function keep(decisions: Map<string, AnsweredThread>, key: string, decision: AnsweredThread): void {
  decisions.delete(key);
  decisions.set(key, decision);
}

function decide(events: readonly FeedbackContext['events'][number][], answer: string): AnsweredThread {
  const [first] = events;
  return {
    path: first?.path ?? null,
    line: first?.line ?? null,
    author: first?.author ?? '',
    asked: events
      .map(({ body }) => body)
      .join('\n\n')
      .slice(0, MAX_WORDS),
    answered: answer.slice(0, MAX_WORDS),
  };
}
