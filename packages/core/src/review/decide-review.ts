import type { FindingStatus } from './findings/finding.js';

export type ReviewRound = {
  id: number;
  headSha: string;
  /** Number of fixes that ended before this round. */
  cycle: number;
  /**
   * Null while the round is running. If the head moves before the review ends, the verdict stays null and the round
   * never counts.
   */
  verdict: 'approved' | 'changes_requested' | null;
  /** The findings that blocked this round, with their current status. */
  blocking: readonly { fingerprint: string; category: string; status: FindingStatus }[];
  /** True if the review failed after all retries. */
  hasFailed: boolean;
  completedAt: number;
};

/** A fix that ended. A superseded fix pushed nothing, so it used no cycle. */
export type ReviewFix = { roundId: number; outcome: 'pushed' | 'failed' | 'superseded'; endedAt: number };

export type ReviewProgress = {
  prNumber: number;
  headSha: string;
  isEnabled: boolean;
  /** True unless the pull request is closed, blocked or taken over by a person. */
  isWorkable: boolean;
  hasLiveTurn: boolean;
  hasPendingFeedback: boolean;
  humanReviewRequired: boolean;
  /** When a person last resumed the loop; 0 for never. Earlier fixes no longer count. */
  resumedAt: number;
  /** The head whose review an operator skipped. */
  skippedSha: string | null;
  /** When an operator last removed a block; 0 for never. */
  clearedAt: number;
  maxFixCycles: number;
  /** Oldest first. */
  rounds: readonly ReviewRound[];
  fixes: readonly ReviewFix[];
};

export const ESCALATION_KINDS = [
  'max_fix_cycles_exceeded',
  'no_progress',
  'repeated_category',
  'fix_failed',
  'review_failed',
] as const;
export type EscalationKind = (typeof ESCALATION_KINDS)[number];

export type ReviewDecision =
  | { kind: 'none'; reason: string }
  | { kind: 'review'; headSha: string; cycle: number }
  | { kind: 'fix'; roundId: number; cycle: number }
  /** People dismissed every blocking finding, so the verdict changes to approved. */
  | { kind: 'lift'; roundId: number; headSha: string }
  | { kind: 'escalate'; escalation: EscalationKind; text: string };

/**
 * Decides the next step of the review loop. The decision depends only on recorded results, so repeating it is safe: one
 * review per head, one fix per cycle, one escalation until a person resumes.
 */
export function decideReview(state: ReviewProgress): ReviewDecision {
  const approved = findNewlyApproved(state);
  if (approved !== undefined) return { kind: 'lift', roundId: approved.id, headSha: approved.headSha };
  const idle = explainIdle(state);
  if (idle !== undefined) return { kind: 'none', reason: idle };
  const { headSha, rounds } = state;
  const round = rounds.findLast((candidate) => candidate.headSha === headSha && candidate.verdict !== null);
  const cycle = state.fixes.filter(isUsed).length;
  if (round === undefined) {
    const failed = rounds.some(
      (candidate) =>
        candidate.headSha === headSha && candidate.hasFailed && candidate.completedAt > state.resumedAt,
    );
    return failed
      ? escalate(state, 'review_failed', 'could not be reviewed')
      : { kind: 'review', headSha, cycle };
  }
  if (round.verdict === 'approved') return { kind: 'none', reason: 'the review approved the head commit' };
  if (openOf(round).length === 0) {
    return { kind: 'none', reason: 'people dismissed every blocking finding' };
  }
  // Ignores fixes from before the last unblock: a person may have discarded the fix and accepted this head again.
  const isComing = ({ roundId, outcome, endedAt }: ReviewFix): boolean =>
    roundId === round.id && outcome === 'pushed' && endedAt > state.clearedAt;
  if (state.fixes.some(isComing)) {
    return { kind: 'none', reason: 'the fix was pushed, but GitHub does not show the new head commit yet' };
  }
  return findEscalation(state, round) ?? { kind: 'fix', roundId: round.id, cycle };
}

/**
 * Finds a rejected round whose blocking findings people dismissed. Runs after an escalation too, because dismissing
 * findings is one way to resolve it.
 */
function findNewlyApproved(state: ReviewProgress): ReviewRound | undefined {
  if (!state.isEnabled || !state.isWorkable || state.hasLiveTurn) return undefined;
  const round = state.rounds.findLast(
    ({ headSha, verdict }) => headSha === state.headSha && verdict !== null,
  );
  if (round?.verdict !== 'changes_requested' || round.blocking.length === 0) return undefined;
  return openOf(round).length === 0 ? round : undefined;
}

/** Fixes left before MergeXO escalates to a person. */
export function countFixesLeft({
  fixes,
  resumedAt,
  maxFixCycles,
}: Pick<ReviewProgress, 'fixes' | 'resumedAt' | 'maxFixCycles'>): number {
  const used = fixes.filter((fix) => isUsed(fix) && fix.endedAt > resumedAt).length;
  return Math.max(0, maxFixCycles - used);
}

function explainIdle(state: ReviewProgress): string | undefined {
  if (!state.isEnabled) return 'the AI review is disabled for this repository';
  if (!state.isWorkable) return 'the pull request is closed, blocked or taken over';
  if (state.skippedSha === state.headSha) return 'an operator skipped the AI review of the head commit';
  if (state.humanReviewRequired)
    return 'MergeXO asked a person to decide; /mergexo resume continues the review';
  if (state.hasLiveTurn) return 'another turn on the pull request is in progress';
  if (state.hasPendingFeedback) return "people's feedback goes first";
  return undefined;
}

function escalate(
  { prNumber }: ReviewProgress,
  escalation: EscalationKind,
  words: string,
): Extract<ReviewDecision, { kind: 'escalate' }> {
  return { kind: 'escalate', escalation, text: `PR #${prNumber} ${words} — requires human review` };
}

function findEscalation(state: ReviewProgress, round: ReviewRound): ReviewDecision | undefined {
  const { maxFixCycles, resumedAt } = state;
  const hasFailed = state.fixes.some(
    ({ roundId, outcome, endedAt }) => roundId === round.id && outcome === 'failed' && endedAt > resumedAt,
  );
  if (hasFailed) return escalate(state, 'fix_failed', 'has findings that the agent could not fix');
  if (countFixesLeft(state) === 0) {
    return escalate(state, 'max_fix_cycles_exceeded', `exceeded max fix cycles (${maxFixCycles})`);
  }
  // A person who resumed after this round has read its findings and still wants them fixed.
  if (round.completedAt <= resumedAt) return undefined;
  const [previous, older] = listEarlierCycles(state, round);
  if (previous === undefined) return undefined;
  if (madeNoProgress(previous, round)) {
    return escalate(state, 'no_progress', 'made no progress: every earlier blocking finding still blocks it');
  }
  const category = findRepeated(older, previous, round);
  if (category === undefined) return undefined;
  return escalate(
    state,
    'repeated_category',
    `got new blocking findings in the category ${category.replaceAll('_', ' ')} after each fix`,
  );
}

/** Returns the last round of each earlier cycle, latest first. Rounds of the same cycle have no fix between them. */
function listEarlierCycles({ rounds }: ReviewProgress, { cycle }: ReviewRound): ReviewRound[] {
  const judged = rounds.filter((round) => round.verdict !== null && round.cycle < cycle);
  const lastOfCycle = new Map(judged.map((round) => [round.cycle, round]));
  return [...lastOfCycle.values()].reverse();
}

/** True if every open finding that blocked the previous round blocks this round too. */
function madeNoProgress(previous: ReviewRound, round: ReviewRound): boolean {
  const before = openOf(previous);
  return before.length > 0 && before.every(({ fingerprint }) => hasFinding(round, fingerprint));
}

/** Returns the category of a new blocking finding, if findings in this category also blocked both previous rounds. */
function findRepeated(
  older: ReviewRound | undefined,
  previous: ReviewRound,
  round: ReviewRound,
): string | undefined {
  if (older === undefined) return undefined;
  const before = [older, previous];
  return openOf(round).find(
    ({ fingerprint, category }) =>
      !before.some((earlier) => hasFinding(earlier, fingerprint)) &&
      before.every((earlier) => earlier.blocking.some((finding) => finding.category === category)),
  )?.category;
}

function openOf({ blocking }: ReviewRound): ReviewRound['blocking'] {
  return blocking.filter(({ status }) => status !== 'dismissed');
}

function hasFinding({ blocking }: ReviewRound, fingerprint: string): boolean {
  return blocking.some((finding) => finding.fingerprint === fingerprint);
}

function isUsed({ outcome }: ReviewFix): boolean {
  return outcome !== 'superseded';
}
