import { OURS } from '@mergexo/core/feedback';
import { explainDistrust } from '@mergexo/core/runs';
import type { FeedbackEvent, Pull } from '@mergexo/state';
import type { Records, Repo } from '../tools.js';

/** What strangers, bots and removed people wrote does not reach the agent, not even as context; what we wrote does. */
export function selectTrusted(
  { state }: Pick<Records, 'state'>,
  repo: Repo,
  pull: Pull,
): (kind: string, id: number) => boolean {
  const isAllowed = ({ payload }: FeedbackEvent): boolean =>
    explainDistrust(payload.author, repo.config.allowedUsers) === undefined;
  const trusted = state
    .listEventsOfThread(pull.repoId, pull.prNumber)
    .filter(
      (event) =>
        event.skipReason === OURS ||
        ((event.skipReason === null || event.turnKey !== null) && isAllowed(event)),
    )
    .map(({ payload }) => `${payload.kind}:${payload.commentId}`);
  const known = new Set(trusted);
  return (kind, id) => known.has(`${kind}:${id}`);
}
