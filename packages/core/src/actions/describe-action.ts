import { renderActionEnd } from '../reasons/action-end.js';
import type { FeedbackContext } from '../turns/feedback/feedback-context.js';
import type { Plan, PlanResult } from '../turns/plan.js';
import type { Action } from './action.js';
import { isRendered, type RenderedKind } from './action-kind.js';
import { parseTarget } from './action-target.js';

/** Maximum length of a summary: enough to recognise a reply. The agent can read the rest in the thread. */
const MAX_SUMMARY = 1_000;

type PreviousAction = FeedbackContext['previousActions'][number];

/** Describes one of MergeXO's earlier posts to the agent: its text and its outcome. */
export function describeAction(action: Action, plan: Plan | null): PreviousAction {
  const { kind, target, state, error } = action;
  const text = (readPayload(action) ?? readText(action, plan)).trim();
  return {
    kind,
    target,
    summary: text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY)} …` : text,
    outcome: error === null ? state : `${state}: ${renderActionEnd(error).slice(0, MAX_SUMMARY)}`,
  };
}

/** Returns the content that was decided when the action was planned; undefined if the plan has the content. */
function readPayload({ payload }: Action): string | undefined {
  if (payload === null) return undefined;
  if ('text' in payload) return payload.text;
  if ('label' in payload) return payload.label;
  if ('login' in payload) return payload.login;
  return 'drift' in payload ? payload.drift.join(', ') : payload.headSha;
}

function readText(action: Action, plan: Plan | null): string {
  const { kind } = action;
  return plan === null || !isRendered(kind) ? '' : READ[kind](plan.result, action);
}

const nothing = (): string => '';

/** The agent's own text in the plan; empty if MergeXO writes the whole post. */
const READ: Record<RenderedKind, (result: PlanResult, action: Action) => string> = {
  open_pull: (result) => (result.kind === 'pull' ? `${result.title}\n\n${result.summary}` : ''),
  status_comment: nothing,
  wait_comment: (result) => (result.kind === 'wait' ? result.reason : ''),
  review_reply: (result, action) => {
    const target = parseTarget(action.target);
    if (result.kind !== 'answer' || target.kind !== 'review') return '';
    return result.replies.find(({ commentId }) => commentId === target.commentId)?.body ?? '';
  },
  general_comment: (result) => (result.kind === 'answer' ? (result.general ?? '') : ''),
  post_review: (result) => (result.kind === 'review' ? result.summary : ''),
  review_status: nothing,
  thread_link: nothing,
};
