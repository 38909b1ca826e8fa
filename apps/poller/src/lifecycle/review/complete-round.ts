import { buildReviewEvent } from '@mergexo/core/review';
import type { RuntimeEvent } from '@mergexo/core/timeline';
import { SEVERITIES, type Turn } from '@mergexo/core/turns';
import type { Pull, StoredRound } from '@mergexo/state';
import type { Records, Repo } from '../../tools.js';
import { recordNotice } from '../action.js';
import { readPullOf } from '../read-pull-of.js';
import { recordEvents } from '../record-events.js';
import { type FrozenReview, readReview } from './read-review.js';

const MAX_REASON = 500;

type NewRound = Parameters<Records['state']['recordReviewRound']>[0];

/** Completes a round. `remoteId` is null if GitHub permanently refused the review. Requires a transaction. */
export function completeRound(
  tools: Records & { repos: () => readonly Repo[] },
  turn: Turn,
  remoteId: number | null,
): void {
  const { state, now } = tools;
  const { repoId } = turn;
  const pull = readPullOf(state, turn);
  const review = readReview(state, turn);
  if (pull === undefined || review?.round === undefined) return;
  const { round, raised, verdict } = review;
  const { summary, gone } = review.result;
  const end = { result: { summary, raised: [...raised], gone }, verdict, remoteId };
  if (!state.completeReviewRound(round.id, end, now())) return;
  if (remoteId !== null) claimOwnComments(tools, pull, remoteId);
  const repo = tools.repos().find(({ id }) => id === repoId);
  const maxFixCycles = repo?.config.review.maxFixCycles ?? 0;
  recordEvents(tools, [describeVerdict(turn, { round, review, maxFixCycles })]);
}

function describeVerdict(
  { repoId, runId, issueNumber, prNumber, turnKey }: Turn,
  {
    round: { id, headSha, fixCycle },
    review,
    maxFixCycles,
  }: { round: StoredRound; review: FrozenReview; maxFixCycles: number },
): RuntimeEvent {
  const { raised, verdict, result } = review;
  const about = { repoId, runId, issueNumber, prNumber, turnKey };
  const facts = { round_id: id, head_sha: headSha, fix_cycle: fixCycle, ...describeChecks(review) };
  if (verdict.kind === 'approved')
    return buildReviewEvent('work_approved', about, { ...facts, findings_count: raised.length });
  const gravest = SEVERITIES.find((severity) => raised.some((finding) => finding.severity === severity));
  return buildReviewEvent('work_rejected', about, {
    ...facts,
    max_fix_cycles: maxFixCycles,
    findings_count: raised.length,
    severity: gravest ?? 'low',
    summary: result.summary.slice(0, 2_000),
    blocking: verdict.blocking.map(({ fingerprint, severity, category, path, line }) => ({
      fingerprint,
      severity,
      category,
      path,
      line,
    })),
  });
}

/** Describes the second agent's answers and the findings that cannot block. Omits parts that do not apply. */
function describeChecks({ raised, result: { refuted, notes } }: FrozenReview) {
  const unverified = raised.filter(({ verified }) => verified === false).length;
  const places = refuted.map(({ finding: { path, line }, reason }) =>
    `${path}${line === null ? '' : `:${line}`}: ${reason}`.slice(0, MAX_REASON),
  );
  return {
    ...(places.length > 0 && { refuted: places }),
    ...(unverified > 0 && { unverified }),
    ...(notes.length > 0 && { notes: notes.length }),
  };
}

/**
 * Marks the line comments of our review as our own. Polling may have recorded them as feedback before the review's id
 * was known.
 */
function claimOwnComments({ state, now }: Records, { repoId, prNumber }: Pull, reviewId: number): void {
  for (const event of state.listUnclaimedEvents(repoId, prNumber)) {
    const { kind, payload } = event;
    if (kind === 'review' && payload.reviewId === reviewId)
      state.markEventProcessed(event, now(), { code: 'ours' });
  }
}

/** Marks the round as failed, and sets a commit status with the command to retry the review. Requires a transaction. */
export function failRound(tools: Records, turn: Turn): void {
  const { state } = tools;
  const { repoId, runId, prNumber, turnKey } = turn;
  endRound(tools, turn, 'failed');
  const round = state.readReviewRoundOfTurn(turnKey);
  if (round?.state !== 'failed' || prNumber === null) return;
  const about = { repoId, runId, thread: prNumber, cause: [turnKey], payload: { headSha: round.headSha } };
  recordNotice(tools, { kind: 'review_failed_status', ...about });
}

/** Ends the round of a turn that posted no review. The round does not count. Requires a transaction. */
export function endRound({ state, now }: Records, turn: Turn, how: 'outdated' | 'failed'): void {
  if (turn.kind !== 'review') return;
  const round = state.readReviewRoundOfTurn(turn.turnKey);
  if (round !== undefined) state.markReviewRoundEnded(round.id, how, now());
}

/** Records a review round for this head. Requires a transaction. */
export function openRound({ state, now }: Pick<Records, 'state' | 'now'>, round: NewRound): StoredRound {
  return state.recordReviewRound(round, now());
}

/** After a database loss, restores an approval that still exists on GitHub. Requires a transaction. */
export function restoreApproval(
  tools: Pick<Records, 'state' | 'now'>,
  round: NewRound,
  remoteId: number,
): void {
  const { state, now } = tools;
  const result = { summary: '', raised: [], gone: [] };
  const { id } = openRound(tools, round);
  state.completeReviewRound(id, { result, verdict: { kind: 'approved' }, remoteId }, now());
}
