import { explainDistrust } from '@mergexo/core/runs';
import type { FeedbackEvent } from '@mergexo/state';
import { recordEvents } from '../lifecycle/record-events.js';
import type { Records, Repo } from '../tools.js';

/**
 * Skips the comments of people who were removed from `allowed_users` since they were recorded, and returns the others.
 * Inside a transaction.
 */
export function dropDistrusted(
  tools: Records,
  repo: Repo,
  events: readonly FeedbackEvent[],
): FeedbackEvent[] {
  return events.filter((event) => {
    const { repoId, issueNumber, prNumber: thread, eventKey, kind, payload } = event;
    // A failed check has no author whom anybody could remove.
    const reason = kind === 'ci' ? undefined : explainDistrust(payload.author, repo.config.allowedUsers);
    if (reason === undefined) return true;
    tools.state.markEventProcessed(event, tools.now(), reason);
    const pull = tools.state.readPull(repoId, thread);
    const about = { repoId, runId: pull?.runId ?? null, issueNumber, prNumber: pull?.prNumber ?? null };
    const facts = { kind, author: payload.author.login, reason };
    recordEvents(tools, [{ type: 'feedback_skipped', ...about, eventKey, payload: facts }]);
    return false;
  });
}

export const NOBODY_ALLOWED = 'no comment that it was to answer is by somebody in allowed_users';
