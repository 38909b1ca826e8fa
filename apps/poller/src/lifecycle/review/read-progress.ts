import { FLOW_TRAITS } from '@mergexo/core/flows';
import { decideReview, type ReviewDecision, type ReviewProgress } from '@mergexo/core/review';
import type { Pull, State } from '@mergexo/state';
import type { Repo } from '../../tools.js';
import { isIgnored } from '../takeover.js';

type Tools = { state: State };

/** Reads everything that decides the next step of the review loop. */
export function readProgress({ state }: Tools, repo: Repo, pull: Pull): ReviewProgress {
  const { repoId, prNumber, runId, status, listedAt } = pull;
  const run = state.readRun(runId);
  const flow = run?.flow;
  return {
    ...state.readReviewProgress(pull),
    isEnabled: repo.config.reviewEnabled && flow !== undefined && FLOW_TRAITS[flow].isReviewed,
    isWorkable: status === 'awaiting_feedback' && listedAt !== null && !isIgnored(pull),
    // Unsettled actions count as a live turn, because the outbox must settle them first.
    hasLiveTurn: state.readLiveTurnOfRun(runId) !== undefined || state.hasUnsettledActions(repoId, prNumber),
    hasPendingFeedback: hasPendingFeedback({ state }, repo, pull),
    clearedAt: run?.clearedAt ?? 0,
    maxFixCycles: repo.config.review.maxFixCycles,
  };
}

/** True if unanswered comments delay a review. Without the feedback loop, MergeXO answers no comments. */
export function hasPendingFeedback({ state }: Tools, repo: Repo, { repoId, prNumber }: Pull): boolean {
  return repo.config.enableFeedbackLoop && state.listUnclaimedEvents(repoId, prNumber).length > 0;
}

export type Due = { pull: Pull; decision: Exclude<ReviewDecision, { kind: 'none' }> };

/** Returns the due reviews, fixes and escalations of a repository. Reads only the database. */
export function listDue(tools: Tools, repo: Repo): Due[] {
  if (!repo.config.reviewEnabled) return [];
  return tools.state.listWatchedPulls(repo.id).flatMap((pull): Due[] => {
    const decision = decideReview(readProgress(tools, repo, pull));
    return decision.kind === 'none' ? [] : [{ pull, decision }];
  });
}
