import { renderSkipReason } from '@mergexo/core/reasons';
import { findDistrust } from '@mergexo/core/runs';
import type { FeedbackEvent } from '@mergexo/state';
import { recordEvents } from '../lifecycle/record-events.js';
import type { Records, Repo } from '../tools.js';

/**
 * Skips comments by people who were removed from `allowed_users` in the meantime, and returns the other comments.
 * Requires a transaction.
 */
export function dropDistrusted(
  tools: Records,
  repo: Repo,
  events: readonly FeedbackEvent[],
): FeedbackEvent[] {
  return events.filter((event) => {
    const { repoId, issueNumber, prNumber: thread, eventKey, kind, payload } = event;
    // A `ci` event is not by a person, so `allowed_users` does not apply.
    const distrust = kind === 'ci' ? undefined : findDistrust(payload.author, repo.config.allowedUsers);
    if (distrust === undefined) return true;
    tools.state.markEventProcessed(event, tools.now(), distrust);
    const pull = tools.state.readPull(repoId, thread);
    const about = { repoId, runId: pull?.runId ?? null, issueNumber, prNumber: pull?.prNumber ?? null };
    const facts = { kind, author: payload.author.login, reason: renderSkipReason(distrust) };
    recordEvents(tools, [{ type: 'feedback_skipped', ...about, eventKey, payload: facts }]);
    return false;
  });
}

export const NOBODY_ALLOWED = 'none of its comments is by a user in allowed_users';
