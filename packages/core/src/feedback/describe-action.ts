import { type Action, findingTargetOf, replyTargetOf } from '../action.js';
import type { Plan } from '../plan.js';
import type { FeedbackContext } from './feedback-context.js';

/** Enough to recognise an answer; the agent reads the rest in the thread. */
const MAX_SUMMARY = 1_000;

type PreviousAction = FeedbackContext['previousActions'][number];

/** What an agent is told of an earlier post of ours: its text, and what became of it. */
export function describeAction(action: Action, plan: Plan | null): PreviousAction {
  const { kind, target, state, error } = action;
  const text = (action.words ?? readText(action, plan)).trim();
  return {
    kind,
    target,
    summary: text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY)} …` : text,
    outcome: error === null ? state : `${state}: ${error.slice(0, MAX_SUMMARY)}`,
  };
}

function readText(action: Action, plan: Plan | null): string {
  const result = plan?.result;
  switch (result?.kind) {
    case 'pull':
      return action.kind === 'open_pull' ? `${result.title}\n\n${result.summary}` : '';
    case 'answer':
      if (action.kind === 'general_comment') return result.general ?? '';
      return result.replies.find(({ commentId }) => commentId === replyTargetOf(action))?.body ?? '';
    case 'review':
      return action.kind === 'post_review' ? result.summary : '';
    case 'fix':
      return result.answers.find(({ id }) => id === findingTargetOf(action)?.id)?.note ?? '';
    case 'wait':
    case 'block':
      return result.reason;
    case undefined:
      return '';
  }
}
