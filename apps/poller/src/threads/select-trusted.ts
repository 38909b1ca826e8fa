import { findDistrust } from '@mergexo/core/runs';
import type { FeedbackEvent, Pull } from '@mergexo/state';
import type { Records, Repo } from '../tools.js';

/** Selects our own comments and those by allowed users. The agent must not read any other text, even as context. */
export function selectTrusted(
  { state }: Pick<Records, 'state'>,
  repo: Repo,
  pull: Pull,
): (kind: string, id: number) => boolean {
  const isAllowed = ({ payload }: FeedbackEvent): boolean =>
    findDistrust(payload.author, repo.config.allowedUsers) === undefined;
  const trusted = state
    .listEventsOfThread(pull.repoId, pull.prNumber)
    .filter(
      (event) =>
        event.skipReason?.code === 'ours' ||
        ((event.skipReason === null || event.turnKey !== null) && isAllowed(event)),
    )
    .map(({ payload }) => `${payload.kind}:${payload.commentId}`);
  const known = new Set(trusted);
  return (kind, id) => known.has(`${kind}:${id}`);
}
