import { type Remark, threadRootOf } from '@mergexo/core/feedback';
import { quoteName } from '@mergexo/core/text';
import type { Pull } from '@mergexo/state';
import { recordNotice } from '../lifecycle/action.js';
import { dismissFindings, resumeReviewLoop } from '../lifecycle/review/human-review.js';
import type { Records, Repo } from '../tools.js';
import { type Reply, reply } from './reply.js';

/** Resumes the review loop with a new fix budget. Requires a transaction. */
export function resumeReview(
  tools: Records,
  repo: Repo,
  { pull, remark, before }: { pull: Pull; remark: Remark; before?: string | undefined },
): Reply {
  if (!isReviewWaiting(tools, pull))
    return reply('There is nothing to resume: no review is waiting for a person.');
  resumeReviewLoop(tools, pull);
  const { repoId, runId, prNumber } = pull;
  const about = { repoId, runId, thread: prNumber, cause: [remark.commentId, remark.updatedAt] };
  const payload = { label: repo.config.review.escalationLabel };
  recordNotice(tools, { ...about, kind: 'escalation_unlabel', payload });
  const text = [before, 'MergeXO resumes the review.'].filter(Boolean).join(' ');
  return { kind: 'resume_notice', payload: { text } };
}

/** True if the review waits for `/mergexo resume`. */
export function isReviewWaiting(tools: Records, pull: Pull): boolean {
  const isSkipped = pull.reviewSkippedSha !== null && pull.reviewSkippedSha === pull.headSha;
  // A failed review is visible on GitHub before MergeXO escalates it, so people may resume it early.
  return pull.humanReviewRequired || isSkipped || hasFailedReview(tools, pull);
}

function hasFailedReview({ state }: Pick<Records, 'state'>, { repoId, prNumber, headSha }: Pull): boolean {
  return state
    .listReviewRounds(repoId, prNumber)
    .some((round) => round.headSha === headSha && round.state === 'failed');
}

/** Dismisses the finding in whose thread the command was posted. Requires a transaction. */
export function dismissFinding(tools: Records, pull: Pull, remark: Remark): Reply {
  const root = remark.kind === 'review' ? threadRootOf(remark) : null;
  const finding = root === null ? undefined : tools.state.readFindingByRemoteId(pull.repoId, root);
  if (finding === undefined || finding.prNumber !== pull.prNumber)
    return reply('Post this command as a reply to the finding that you want to dismiss.');
  dismissFindings(tools, [finding.id]);
  const place = `${finding.path}${finding.line === null ? '' : `:${finding.line}`}`;
  return reply(`Dismissed. Later reviews will not raise the finding on ${quoteName(place)} again.`);
}
