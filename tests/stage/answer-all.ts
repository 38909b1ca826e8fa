import type { FeedbackContext, PlanResult } from '@mergexo/core/turns';
import type { AgentScript, Stage } from './stage.js';

/** Replies to every line comment, and covers all other events in the general comment. */
export function answerAll({ events }: FeedbackContext): PlanResult {
  const replies = events
    .filter(({ kind }) => kind === 'review')
    .map(({ id, rootId }) => ({ commentId: id, rootId: rootId ?? id, body: `Answer to ${id}` }));
  const rest = events.filter(({ kind }) => kind !== 'review');
  const general = rest.length === 0 ? null : `Answer to ${rest.map(({ id }) => id).join(', ')}`;
  return { kind: 'answer', replies, general };
}

/** Script of an agent that answers everything and changes nothing. */
export const talk: AgentScript = async (context) => ({ result: answerAll(context), sha: null });

/** Answers the open turn like `talk`, and returns the context that the agent got. */
export async function talkAndSee(stage: Pick<Stage, 'answer'>): Promise<FeedbackContext> {
  const contexts: FeedbackContext[] = [];
  await stage.answer((context, begun) => {
    contexts.push(context);
    return talk(context, begun);
  });
  const [first] = contexts;
  if (first === undefined) throw new Error('the agent was not called');
  return first;
}
