import { computeVerdict, type Placement, type RaisedFinding, type ReviewVerdict } from '@mergexo/core/review';
import { ReviewContext, type ReviewResult, readPlacement, type Turn } from '@mergexo/core/turns';
import type { State, StoredRound } from '@mergexo/state';

/** A frozen review with its verdict. */
export type FrozenReview = {
  context: ReviewContext;
  /** Undefined if a later turn took over the review of the same head. */
  round: StoredRound | undefined;
  result: ReviewResult;
  raised: readonly RaisedFinding[];
  verdict: ReviewVerdict<RaisedFinding>;
  placement: Placement;
};

/** Reads a frozen review without dismissed findings. Returns undefined for other turns, and before the freeze. */
export function readReview(state: State, turn: Turn): FrozenReview | undefined {
  const { kind, repoId, prNumber, turnKey } = turn;
  if (kind !== 'review' || prNumber === null) return undefined;
  const result = state.readPlan(turnKey)?.plan.result;
  if (result?.kind !== 'review') return undefined;
  const context = ReviewContext.parse(state.readTurnContext(turnKey));
  const dismissed = new Set(
    state
      .listReviewFindings(repoId, prNumber)
      .filter(({ status }) => status === 'dismissed')
      .map(({ fingerprint }) => fingerprint),
  );
  const stands = ({ fingerprint }: RaisedFinding): boolean => !dismissed.has(fingerprint);
  const raised = result.raised.filter(stands);
  const { inline, demoted, standing, nits, hidden } = readPlacement(result);
  return {
    context,
    round: state.readReviewRoundOfTurn(turnKey),
    result,
    raised,
    verdict: computeVerdict(raised, context.policy.blockingSeverity),
    placement: {
      inline: inline.filter(stands),
      demoted: demoted.filter(stands),
      standing: standing.filter(stands),
      nits: nits.filter(stands),
      hidden: hidden.filter(stands),
    },
  };
}
