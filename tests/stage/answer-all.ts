import type { FeedbackContext, PlanResult } from '@mergexo/core/turns';
import type { AgentScript } from './stage.js';

/** Every comment on lines gets its own reply, everything else the general comment. */
export function answerAll({ events }: FeedbackContext): PlanResult {
  const replies = events
    .filter(({ kind }) => kind === 'review')
    .map(({ id, rootId }) => ({ commentId: id, rootId: rootId ?? id, body: `Answer to ${id}` }));
  const rest = events.filter(({ kind }) => kind !== 'review');
  const general = rest.length === 0 ? null : `Answer to ${rest.map(({ id }) => id).join(', ')}`;
  return { kind: 'answer', replies, general };
}

/** An agent that has something to say about everything, and changes nothing. */
export const talk: AgentScript = async (context) => ({ result: answerAll(context), sha: null });
