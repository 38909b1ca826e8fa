import { hasFailed } from '@mergexo/core/ci';
import { findCapEnd } from '@mergexo/core/runs';
import { readFailedReview, type Snapshot, type Work } from '@mergexo/state';
import { type Blocked, findBlocked } from '../read-blocked.js';

/** An issue that waits for a person, and why. */
export type Attention = Work & {
  /** Two or three words, such as "Waiting for a reply". */
  label: string;
  why: string;
  /** The details of a blocked issue. */
  blocked: Blocked | undefined;
};

const ANSWERED = 'Every comment is answered.';

/** Describes why an issue waits for a person. */
export function describeAttention(facts: Snapshot, work: Work): Attention {
  const reason = work.reason ?? 'no reason was recorded';
  if (work.stage === 'blocked') {
    const blocked = findBlocked(facts, work.repo, work.pr ?? work.issue);
    const label = findCapEnd(work.hold) === undefined ? 'Blocked' : 'Over a limit';
    return { ...work, label, why: blocked?.reason ?? reason, blocked };
  }
  if (work.stage === 'question') {
    const label = work.hold === 'agent_blocked' ? 'Question' : 'Waiting for a reply';
    return { ...work, label, why: reason, blocked: undefined };
  }
  return { ...work, ...describeReview(facts, work), blocked: undefined };
}

function describeReview({ state }: Snapshot, { repoId, pr }: Work): { label: string; why: string } {
  const pull = pr === null ? undefined : state.readPull(repoId, pr);
  if (pull === undefined) return { label: 'Review', why: ANSWERED };
  const failed = (pull.checks ?? []).filter((check) => check.headSha === pull.headSha && hasFailed(check));
  const checks = failed.length === 0 ? '' : ` Failed checks: ${failed.map(({ name }) => name).join(', ')}.`;
  if (!pull.humanReviewRequired)
    return { label: 'Review and merge', why: `${ANSWERED}${checks} The pull request is waiting for you.` };
  const review = readFailedReview(state, pull);
  const why = review ? `the AI review failed: ${review.reason}` : 'the AI review stopped';
  return { label: 'Human review required', why: `A person must review the change, because ${why}.${checks}` };
}
