import type { FindingStatus } from './findings/finding.js';

export type ReviewRound = {
  id: number;
  headSha: string;
  /** Fixes that ended before it. */
  cycle: number;
  /** Null while it runs, and for good where its head was left behind: such a round never counts. */
  verdict: 'approved' | 'changes_requested' | null;
  /** What blocked in this round, with what became of it since. */
  blocking: readonly { fingerprint: string; category: string; status: FindingStatus }[];
  /** The reviewer could not do it, however often it was tried. */
  hasFailed: boolean;
  completedAt: number;
};

/** A fix that ended. A superseded one sent nothing, so it used no cycle. */
export type ReviewFix = { roundId: number; outcome: 'pushed' | 'failed' | 'superseded'; endedAt: number };

export type ReviewProgress = {
  prNumber: number;
  headSha: string;
  isEnabled: boolean;
  /** Neither closed nor blocked nor taken over by a person. */
  isWorkable: boolean;
  hasLiveTurn: boolean;
  hasPendingFeedback: boolean;
  humanReviewRequired: boolean;
  /** When a person last let the loop go on; 0 for never. What was used before does not count. */
  resumedAt: number;
  /** When an operator last lifted a block; 0 for never. */
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
  /** People dismissed all that blocked: the verdict turns. */
  | { kind: 'lift'; roundId: number; headSha: string }
  | { kind: 'escalate'; escalation: EscalationKind; text: string };

/**
 * What comes next for a pull request. It looks at what ended, not at what was decided before, so asking again changes
 * nothing: one review per head, one fix per cycle, one escalation until a person lifts it.
 */
export function decideReview(state: ReviewProgress): ReviewDecision {
  const lifted = findLifted(state);
  if (lifted !== undefined) return { kind: 'lift', roundId: lifted.id, headSha: lifted.headSha };
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
  if (round.verdict === 'approved') return { kind: 'none', reason: 'the review approved this head' };
  if (openOf(round).length === 0) {
    return { kind: 'none', reason: 'people dismissed every finding that blocked this head' };
  }
  // A person may have thrown the fix away, and have had this head accepted again.
  const isComing = ({ roundId, outcome, endedAt }: ReviewFix): boolean =>
    roundId === round.id && outcome === 'pushed' && endedAt > state.clearedAt;
  if (state.fixes.some(isComing)) {
    return { kind: 'none', reason: 'the fix of this head is pushed; its new head is not seen yet' };
  }
  return findEscalation(state, round) ?? { kind: 'fix', roundId: round.id, cycle };
}

/** Also while a person is asked: that is how they decide. */
function findLifted(state: ReviewProgress): ReviewRound | undefined {
  if (!state.isEnabled || !state.isWorkable || state.hasLiveTurn) return undefined;
  const round = state.rounds.findLast(
    ({ headSha, verdict }) => headSha === state.headSha && verdict !== null,
  );
  if (round?.verdict !== 'changes_requested' || round.blocking.length === 0) return undefined;
  return openOf(round).length === 0 ? round : undefined;
}

/** Fixes that may still be made before a person is asked. */
export function countFixesLeft({
  fixes,
  resumedAt,
  maxFixCycles,
}: Pick<ReviewProgress, 'fixes' | 'resumedAt' | 'maxFixCycles'>): number {
  const used = fixes.filter((fix) => isUsed(fix) && fix.endedAt > resumedAt).length;
  return Math.max(0, maxFixCycles - used);
}

function explainIdle(state: ReviewProgress): string | undefined {
  if (!state.isEnabled) return 'the review is off here';
  if (!state.isWorkable) return 'the pull request is closed, blocked or taken over';
  if (state.humanReviewRequired) return 'a person was asked to review; /mergexo resume lets it go on';
  if (state.hasLiveTurn) return 'another turn of the pull request is under way';
  if (state.hasPendingFeedback) return 'feedback of people goes first';
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
  if (hasFailed) return escalate(state, 'fix_failed', 'has findings whose fix failed');
  if (countFixesLeft(state) === 0) {
    return escalate(state, 'max_fix_cycles_exceeded', `exceeded max fix cycles (${maxFixCycles})`);
  }
  // A person who resumes has seen this round, and wants it fixed nonetheless.
  if (round.completedAt <= resumedAt) return undefined;
  const [previous, older] = listBefore(state, round);
  if (previous === undefined) return undefined;
  if (madeNoProgress(previous, round)) {
    return escalate(state, 'no_progress', 'made no progress: all findings that blocked it before still do');
  }
  const category = findRepeated(older, previous, round);
  if (category === undefined) return undefined;
  return escalate(state, 'repeated_category', `got new blocking findings in ${category} after each fix`);
}

/** The last round of each earlier cycle, the latest first: rounds of one cycle have no fix between them. */
function listBefore({ rounds }: ReviewProgress, { cycle }: ReviewRound): ReviewRound[] {
  const judged = rounds.filter((round) => round.verdict !== null && round.cycle < cycle);
  const lastOfCycle = new Map(judged.map((round) => [round.cycle, round]));
  return [...lastOfCycle.values()].reverse();
}

/** Every finding that blocked the round before the fix blocks again. */
function madeNoProgress(previous: ReviewRound, round: ReviewRound): boolean {
  const before = openOf(previous);
  return before.length > 0 && before.every(({ fingerprint }) => hasFinding(round, fingerprint));
}

/** The category of a new blocking finding that blocked both rounds before as well: fixing does not converge. */
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
