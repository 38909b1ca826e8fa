import { buildReviewEvent, type ReviewEventPayload } from '@mergexo/core/review';
import { ReviewFixContext, type ReviewFixResult, type Turn } from '@mergexo/core/turns';
import type { StoredFix } from '@mergexo/state';
import type { Records } from '../../tools.js';
import { recordEvents } from '../record-events.js';

type Cause = ReviewEventPayload<'review_fix_failed'>['cause'];

/** Counts the fix cycle after the push and saves the agent's answer to each finding. Requires a transaction. */
export function completeFix(tools: Records, turn: Turn): void {
  const { commit = null, result } = tools.state.readPlan(turn.turnKey)?.plan ?? {};
  if (turn.kind !== 'review_fix' || result?.kind !== 'fix' || commit === null) return;
  const ended = recordEnd(tools, turn, { outcome: 'pushed', reason: null, sha: commit.sha });
  if (ended === undefined) return;
  saveAnswers(tools, turn, result);
  const count = (resolution: string): number =>
    result.answers.filter((answer) => answer.resolution === resolution).length;
  recordEvents(tools, [
    buildReviewEvent('review_fix_completed', aboutOf(turn), {
      ...ended,
      sha: commit.sha,
      fixed: count('fixed'),
      wontfix: count('wontfix'),
      disputed: count('disputed'),
    }),
  ]);
}

/** Records a failed fix without a push. MergeXO escalates it instead of retrying. Requires a transaction. */
export function failFix(tools: Records, turn: Turn, failure: { cause: Cause; reason: string }): void {
  const result = tools.state.readPlan(turn.turnKey)?.plan.result;
  if (!noteFailure(tools, turn, { outcome: 'failed', ...failure })) return;
  if (result?.kind === 'fix') saveAnswers(tools, turn, result);
}

/**
 * Records a fix that ended before its push and does not count as a fix cycle. Ignores a fix that has already
 * ended. Requires a transaction.
 */
export function dropFix(tools: Records, turn: Turn, cause: Cause = causeOf(turn)): void {
  if (turn.kind !== 'review_fix') return;
  noteFailure(tools, turn, {
    outcome: 'superseded',
    cause,
    reason: turn.reason ?? `the turn is ${turn.state}`,
  });
}

function causeOf({ state }: Turn): Cause {
  return state === 'superseded' ? 'head_moved' : 'other';
}

function noteFailure(
  tools: Records,
  turn: Turn,
  { outcome, cause, reason }: { outcome: 'failed' | 'superseded'; cause: Cause; reason: string },
): boolean {
  const ended = recordEnd(tools, turn, { outcome, reason, sha: null });
  if (ended === undefined) return false;
  recordEvents(tools, [
    buildReviewEvent('review_fix_failed', aboutOf(turn), { ...ended, cause, reason: reason.slice(0, 2_000) }),
  ]);
  return true;
}

/** Records the end of a fix. Returns undefined if the end is already on record or the review round is missing. */
function recordEnd(
  { state, now }: Records,
  { turnKey, repoId, prNumber }: Turn,
  end: Pick<StoredFix, 'outcome' | 'reason' | 'sha'>,
): { round_id: number; fix_cycle: number } | undefined {
  if (prNumber === null) return undefined;
  const { headSha, metadata } = ReviewFixContext.parse(state.readTurnContext(turnKey));
  const round = state.listReviewRounds(repoId, prNumber).find((other) => other.headSha === headSha);
  if (round === undefined) return undefined;
  const about = { repoId, prNumber, roundId: round.id, fixCycle: metadata.fix_cycle, turnKey };
  if (!state.recordReviewFix({ ...about, ...end }, now())) return undefined;
  return { round_id: round.id, fix_cycle: metadata.fix_cycle };
}

/** Saves the agent's answers. A finding that the agent reports as fixed stays open if its file did not change. */
function saveAnswers(
  { state, now }: Records,
  { repoId, prNumber }: Turn,
  { answers }: Pick<ReviewFixResult, 'answers'>,
): void {
  if (prNumber === null) return;
  for (const { id, resolution, note, touchesFile } of answers) {
    const status = resolution === 'fixed' && !touchesFile ? 'open' : resolution;
    state.answerFinding({ repoId, prNumber, id, status, note }, now());
  }
}

function aboutOf({ repoId, runId, issueNumber, prNumber, turnKey }: Turn) {
  return { repoId, runId, issueNumber, prNumber, turnKey };
}
