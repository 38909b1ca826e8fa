import { renderActionEnd } from '../reasons/action-end.js';
import type { FeedbackContext } from '../turns/feedback/feedback-context.js';
import type { Plan, PlanResult } from '../turns/plan.js';
import type { Action, ActionState } from './action.js';
import { type ActionKind, isRendered, type RenderedKind } from './action-kind.js';
import { parseTarget } from './action-target.js';

const MAX_REASON = 1_000;

type PreviousAction = FeedbackContext['previousActions'][number];

const OUTCOMES: Record<ActionState, string> = {
  planned: 'not posted yet',
  sending: 'not posted yet',
  settled: 'posted',
  refused: 'not posted',
  tombstone: 'not posted',
};

/** Describes one of the agent's earlier posts to the agent. Returns undefined for MergeXO's own posts. */
export function describeAction(action: Action, plan: Plan | null): PreviousAction | undefined {
  const { kind, target, state, error, payload, remoteId: commentId } = action;
  if (!AGENTS_OWN.includes(kind)) return undefined;
  const text = (payload !== null && 'text' in payload ? payload.text : readText(action, plan)).trim();
  if (text === '') return undefined;
  return {
    kind,
    target,
    summary: text,
    outcome:
      error === null ? OUTCOMES[state] : `${OUTCOMES[state]}: ${renderActionEnd(error).slice(0, MAX_REASON)}`,
    commentId,
  };
}

/** The kinds of posts that contain the coding agent's text. The prompt shows the agent's pull request separately. */
const AGENTS_OWN: readonly ActionKind[] = [
  'review_reply',
  'general_comment',
  'finding_reply',
  'fix_summary',
  'wait_comment',
];

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
