import { computeRedirectId } from '@mergexo/core/actions';
import type { SkipReason } from '@mergexo/core/reasons';
import type { Turn } from '@mergexo/core/turns';
import type { State } from './create-state.js';
import type { FeedbackEvent } from './tables/feedback-events.js';

/** MergeXO's progress on a comment. */
export type CommentStatus =
  | { kind: 'pending' }
  | { kind: 'in_progress'; turnState: Turn['state'] | null }
  | { kind: 'answered' }
  /** A reply on the issue pointed the comment's author to the pull request. */
  | { kind: 'redirected' }
  | { kind: 'skipped'; reason: SkipReason };

export function readCommentStatus(
  state: Pick<State, 'readTurn' | 'readAction'>,
  event: FeedbackEvent,
): CommentStatus {
  const { processedAt, skipReason, turnKey } = event;
  if (processedAt !== null) {
    if (skipReason !== null) return { kind: 'skipped', reason: skipReason };
    return isRedirected(state, event) ? { kind: 'redirected' } : { kind: 'answered' };
  }
  if (turnKey === null) return { kind: 'pending' };
  return { kind: 'in_progress', turnState: state.readTurn(turnKey)?.state ?? null };
}

function isRedirected(state: Pick<State, 'readAction'>, event: FeedbackEvent): boolean {
  const { kind, repoId, prNumber: issueNumber, commentId, turnKey } = event;
  if (kind !== 'issue' || turnKey !== null) return false;
  return state.readAction(computeRedirectId({ repoId, issueNumber, commentId })) !== undefined;
}
