import { planNotice } from '@mergexo/core/actions';
import { OURS } from '@mergexo/core/feedback';
import { buildReviewEvent } from '@mergexo/core/review';
import type { RuntimeEvent } from '@mergexo/core/timeline';
import { SEVERITIES, type Turn } from '@mergexo/core/turns';
import type { Pull, StoredRound } from '@mergexo/state';
import type { Records, Repo } from '../../tools.js';
import { recordEvents } from '../record-events.js';
import { type FrozenReview, readReview } from './read-review.js';

type NewRound = Parameters<Records['state']['recordReviewRound']>[0];

/** The review is on GitHub, or GitHub will never take it (null): now it counts. Inside a transaction. */
export function completeRound(
  tools: Records & { repos: () => readonly Repo[] },
  turn: Turn,
  remoteId: number | null,
): void {
  const { state, now } = tools;
  const { repoId, prNumber } = turn;
  const pull = prNumber === null ? undefined : state.readPull(repoId, prNumber);
  const review = readReview(state, turn);
  if (pull === undefined || review?.round === undefined) return;
  const { round, raised, verdict } = review;
  const { summary, gone } = review.result;
  const end = { result: { summary, raised: [...raised], gone }, verdict, remoteId };
  if (!state.completeReviewRound(round.id, end, now())) return;
  if (remoteId !== null) claimOwnComments(tools, pull, remoteId);
  const repo = tools.repos().find(({ id }) => id === repoId);
  const maxFixCycles = repo?.config.review.maxFixCycles ?? 0;
  recordEvents(tools, [describeVerdict(turn, round, review, maxFixCycles)]);
}

function describeVerdict(
  { repoId, runId, issueNumber, prNumber, turnKey }: Turn,
  { id, headSha, fixCycle }: StoredRound,
  { raised, verdict, result }: FrozenReview,
  maxFixCycles: number,
): RuntimeEvent {
  const about = { repoId, runId, issueNumber, prNumber, turnKey };
  const facts = { round_id: id, head_sha: headSha, fix_cycle: fixCycle };
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

/** The lists may have shown its comments on lines before we knew the review's id: they looked like somebody's. */
function claimOwnComments({ state, now }: Records, { repoId, prNumber }: Pull, reviewId: number): void {
  for (const event of state.listUnclaimedEvents(repoId, prNumber)) {
    const { kind, payload } = event;
    if (kind === 'review' && payload.reviewId === reviewId) state.markEventProcessed(event, now(), OURS);
  }
}

/** No attempt brought a review: the head shows that it is not reviewed, and how to retry. Inside a transaction. */
export function failRound(tools: Records, turn: Turn): void {
  const { state, now } = tools;
  const { repoId, runId, prNumber, turnKey } = turn;
  endRound(tools, turn, 'failed');
  const round = state.readReviewRoundOfTurn(turnKey);
  if (round?.state !== 'failed' || prNumber === null) return;
  const about = { repoId, runId, thread: prNumber, cause: [turnKey], words: round.headSha };
  state.recordActions([planNotice({ kind: 'review_failed_status', ...about })], now());
}

/** The turn ended before its review was told: its round never counts. Inside a transaction. */
export function endRound({ state, now }: Records, turn: Turn, how: 'outdated' | 'failed'): void {
  if (turn.kind !== 'review') return;
  const round = state.readReviewRoundOfTurn(turn.turnKey);
  if (round !== undefined) state.markReviewRoundEnded(round.id, how, now());
}

/** A reviewer starts on this head. Inside a transaction. */
export function openRound({ state, now }: Pick<Records, 'state' | 'now'>, round: NewRound): StoredRound {
  return state.recordReviewRound(round, now());
}

/** After a loss of the database: GitHub shows that we approved this head. Inside a transaction. */
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
