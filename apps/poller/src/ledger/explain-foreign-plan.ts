import { explainGaps, FeedbackContext, mayEndWith, type Plan, type Turn } from '@mergexo/core/turns';
import type { State } from '@mergexo/state';
import { explainForeignFix } from './explain-foreign-fix.js';
import { explainForeignReview } from './explain-foreign-review.js';

/**
 * Returns why a plan does not match its turn; undefined if it matches. A compromised worker may send a foreign plan.
 */
export function explainForeignPlan(
  state: State,
  turn: Turn,
  { commit, result }: Pick<Plan, 'commit' | 'result'>,
): string | undefined {
  if (turn.runId === null) return undefined;
  if (!mayEndWith(turn.kind, result.kind)) return `a ${turn.kind} turn cannot end with ${result.kind}`;
  const branch = state.readRun(turn.runId)?.branch;
  if (commit !== null && commit.branch !== branch)
    return `the run's branch is ${branch}, not ${commit.branch}`;
  return explainForeignResult(state, turn, { commit, result });
}

function explainForeignResult(
  state: State,
  turn: Turn,
  { commit, result }: Pick<Plan, 'commit' | 'result'>,
): string | undefined {
  const context = state.readTurnContext(turn.turnKey);
  switch (result.kind) {
    case 'answer': {
      const { events } = FeedbackContext.parse(context);
      const [gap] = explainGaps(events, result);
      const strayed = result.replies.find(
        ({ commentId, rootId }) =>
          events.find(({ id, kind }) => kind === 'review' && id === commentId)?.rootId !== rootId,
      );
      const rerun = explainForeignRerun(events, { result, commit });
      return gap ?? rerun ?? (strayed && `the reply to ${strayed.commentId} is for another thread`);
    }
    case 'review':
      return explainForeignReview(context, result);
    case 'fix':
      return explainForeignFix(context, result, commit);
    case 'pull':
    case 'wait':
    case 'block':
      return undefined;
  }
}

/**
 * Accepts a rerun only for the attempt that failed. The turn must be about a single failed workflow run and
 * have no commits.
 */
function explainForeignRerun(
  [only, ...more]: FeedbackContext['events'],
  { result, commit }: Pick<Plan, 'commit' | 'result'>,
): string | undefined {
  const rerun = result.kind === 'answer' ? result.rerun : undefined;
  if (rerun === undefined) return undefined;
  const isOwn = more.length === 0 && commit === null && only?.kind === 'ci' && only.id === rerun.runId;
  if (isOwn && only.check?.source === 'actions' && only.check.attempt === rerun.attempt) return undefined;
  return `the turn is not about attempt ${rerun.attempt} of the workflow run ${rerun.runId} alone`;
}
