import type { PullRequest } from '@mergexo/github';
import type { Pull, Run } from '@mergexo/state';
import type { Records } from '../tools.js';

const BLOCK = {
  blockedKind: 'rebuilt',
  error: 'The pull request was blocked when the database was lost.',
} as const;
const NO_BLOCK = { blockedKind: null, error: null };

/** Rebuilds a run and its pull request from GitHub after a database loss. Requires a transaction. */
export function restorePull(
  { state, now }: Pick<Records, 'state' | 'now'>,
  run: Run,
  found: { pull: PullRequest; signedSha: string; isBlocked: boolean; isEscalated: boolean },
): Pull['status'] {
  const { number: prNumber, headRef: branch, headSha, url, status: shown } = found.pull;
  const { id: runId, repoId, issueNumber } = run;
  const isBlocked = shown === 'open' && found.isBlocked;
  const status = shown !== 'open' ? shown : isBlocked ? 'blocked' : 'awaiting_feedback';
  const block = isBlocked ? BLOCK : NO_BLOCK;
  state.saveRun({ ...run, ...block, status, prNumber, branch }, now());
  state.recordPull({ repoId, prNumber, runId, issueNumber, branch, headSha: found.signedSha, url }, now());
  const row = state.readPull(repoId, prNumber);
  const escalation = found.isEscalated ? { humanReviewRequired: true, escalatedAt: now() } : {};
  if (row !== undefined)
    state.savePull({ ...row, ...block, ...escalation, headSha, acceptedAt: null, status }, now());
  return status;
}
