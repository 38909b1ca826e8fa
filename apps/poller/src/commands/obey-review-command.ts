import { planNotice } from '@mergexo/core/actions';
import { type Remark, threadRootOf } from '@mergexo/core/feedback';
import { quoteName } from '@mergexo/core/text';
import type { Pull } from '@mergexo/state';
import { dismissFindings, resumeReviewLoop } from '../lifecycle/review/human-review.js';
import type { Records, Repo } from '../tools.js';
import type { Reply } from './reply.js';
import { reply } from './reply.js';

/** Only a person lets the review go on, with a new budget of fixes. Inside a transaction. */
export function resumeReview(tools: Records, repo: Repo, pull: Pull, remark: Remark): Reply {
  // A failed review is shown before the escalation that follows it.
  const isWaiting = pull.humanReviewRequired || hasFailedReview(tools, pull);
  if (!isWaiting) return reply('No review waits for a person here.');
  resumeReviewLoop(tools, pull);
  const { repoId, runId, prNumber } = pull;
  const unlabel = planNotice({
    kind: 'escalation_unlabel',
    repoId,
    runId,
    thread: prNumber,
    cause: [remark.commentId, remark.updatedAt],
    words: repo.config.review.escalationLabel,
  });
  tools.state.recordActions([unlabel], tools.now());
  return { kind: 'resume_notice', words: 'The review goes on.' };
}

function hasFailedReview({ state }: Pick<Records, 'state'>, { repoId, prNumber, headSha }: Pull): boolean {
  return state
    .listReviewRounds(repoId, prNumber)
    .some((round) => round.headSha === headSha && round.state === 'failed');
}

/** Reply in the thread of a finding. Inside a transaction. */
export function dismissFinding(tools: Records, pull: Pull, remark: Remark): Reply {
  const root = remark.kind === 'review' ? threadRootOf(remark) : null;
  const finding = root === null ? undefined : tools.state.readFindingByRemoteId(pull.repoId, root);
  if (finding === undefined || finding.prNumber !== pull.prNumber)
    return reply('Please say it as a reply to the finding that you mean.');
  dismissFindings(tools, [finding.id]);
  const place = `${finding.path}${finding.line === null ? '' : `:${finding.line}`}`;
  return reply(`Dismissed: the finding on ${quoteName(place)} is not raised again.`);
}
