import type { FeedbackContext } from '../turns/feedback/feedback-context.js';
import type { Plan, PlanResult } from '../turns/plan.js';
import { type Action, replyTargetOf } from './action.js';
import { isRendered, type RenderedKind } from './action-kind.js';

/** Enough to recognise an answer; the agent reads the rest in the thread. */
const MAX_SUMMARY = 1_000;

type PreviousAction = FeedbackContext['previousActions'][number];

/** The text and the outcome of an earlier post of ours, for the agent. */
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
  const { kind } = action;
  return plan === null || !isRendered(kind) ? '' : READ[kind](plan.result, action);
}

const nothing = (): string => '';

/** The agent's own words in the plan; empty where MergeXO adds all of them. */
const READ: Record<RenderedKind, (result: PlanResult, action: Action) => string> = {
  open_pull: (result) => (result.kind === 'pull' ? `${result.title}\n\n${result.summary}` : ''),
  status_comment: nothing,
  wait_comment: (result) => (result.kind === 'wait' ? result.reason : ''),
  review_reply: (result, action) => {
    const replies = result.kind === 'answer' ? result.replies : [];
    return replies.find(({ commentId }) => commentId === replyTargetOf(action))?.body ?? '';
  },
  general_comment: (result) => (result.kind === 'answer' ? (result.general ?? '') : ''),
  post_review: (result) => (result.kind === 'review' ? result.summary : ''),
  review_status: nothing,
  thread_link: nothing,
};
