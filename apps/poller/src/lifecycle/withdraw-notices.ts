import type { ActionKind } from '@mergexo/core/actions';
import type { Pull } from '@mergexo/state';
import type { Records } from '../tools.js';
import { markUnsent, revive } from './action.js';
import { CLOSED } from './skip-reasons.js';

const ESCALATION: readonly ActionKind[] = ['escalation_notice', 'escalation_label', 'review_request'];

/** Notices that the closing dropped and that still apply: nothing else plans them again. */
export function reviveNotices(tools: Records, pull: Pull): void {
  const { repoId, issueNumber, prNumber, humanReviewRequired } = pull;
  const kinds: readonly ActionKind[] = [
    'redirect',
    'reviewer_notice',
    ...(humanReviewRequired ? ESCALATION : []),
  ];
  for (const thread of [issueNumber, prNumber])
    for (const action of tools.state.listActionsOfThread(repoId, thread, 100))
      if (kinds.includes(action.kind) && action.state === 'refused' && action.error === `not sent: ${CLOSED}`)
        revive(tools, action);
}

/** What was planned to be said about a state that is over. */
export function dropNotices(
  tools: Records,
  repoId: number,
  thread: number,
  reason: string,
  kinds?: readonly string[],
): void {
  for (const action of tools.state.listActionsOfThread(repoId, thread, 100)) {
    if (action.turnKey !== null || action.state !== 'planned') continue;
    if (kinds === undefined || kinds.includes(action.kind)) markUnsent(tools, action, reason);
  }
}
