import type { Action, ActionKind } from '@mergexo/core/actions';
import type { UnsentReason } from '@mergexo/core/reasons';
import type { Pull } from '@mergexo/state';
import type { Records } from '../tools.js';
import { markUnsent, revive } from './action.js';

const ESCALATION: readonly ActionKind[] = ['escalation_notice', 'escalation_label', 'review_request'];

/** Replans the notices that were dropped when the pull request was closed, if they still apply after its reopening. */
export function reviveNotices(tools: Records, pull: Pull): void {
  const { repoId, issueNumber, prNumber, humanReviewRequired, blockedKind } = pull;
  const kinds: readonly ActionKind[] = [
    'redirect',
    'reviewer_notice',
    'command_reply',
    blockedKind === null ? 'unblock_notice' : 'block_notice',
    ...(humanReviewRequired ? ESCALATION : ['resume_notice' as const]),
  ];
  for (const thread of [issueNumber, prNumber])
    for (const action of tools.state.listActionsOfThread(repoId, thread, 100))
      if (kinds.includes(action.kind) && wasWithdrawnByClosing(action)) revive(tools, action);
}

function wasWithdrawnByClosing({ state, error }: Action): boolean {
  return state === 'refused' && error?.code === 'pull_ended' && error.status === 'closed';
}

/** Drops planned but unsent notices that no longer apply. */
export function dropNotices(
  tools: Records,
  { repoId, thread, kinds }: Pick<Action, 'repoId' | 'thread'> & { kinds?: readonly ActionKind[] },
  reason: UnsentReason,
): void {
  for (const action of tools.state.listActionsOfThread(repoId, thread, 100)) {
    if (action.turnKey !== null || action.state !== 'planned') continue;
    if (kinds === undefined || kinds.includes(action.kind)) markUnsent(tools, action, reason);
  }
}
