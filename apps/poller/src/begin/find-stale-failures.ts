import { hasFailed } from '@mergexo/core/ci';
import type { SkipReason } from '@mergexo/core/reasons';
import type { GitHub } from '@mergexo/github';
import type { FeedbackEvent, Pull } from '@mergexo/state';
import type { Records, Repo } from '../tools.js';

type Asking = { github: Pick<GitHub, 'fetchActionsRun'> };

export type Stale = { event: FeedbackEvent; reason: SkipReason };

/** Returns the failed checks of a turn that have passed since, are running again, or belong to another head. */
export async function findStaleFailures(
  { state, github }: Pick<Records, 'state'> & Asking,
  repo: Repo,
  { pull, turnKey, headSha }: { pull: Pull; turnKey: string; headSha: string },
): Promise<Stale[]> {
  const events = state
    .listEventsOfFeedbackTurn(turnKey)
    .filter(({ kind, processedAt }) => kind === 'ci' && processedAt === null);
  const stale: Stale[] = [];
  for (const event of events) {
    if (event.payload.headSha !== headSha) {
      stale.push({ event, reason: { code: 'older_commit' } });
      continue;
    }
    const known = pull.checks?.find(({ id }) => id === event.commentId);
    // A rerun gets a new id, so a check with a missing id was rerun. A commit status keeps its id.
    const isReplaced = known === undefined && event.payload.check?.source === 'check';
    const isFailing =
      known?.source === 'actions'
        ? await isStillFailing(github, repo, event.commentId)
        : !isReplaced && (known === undefined || hasFailed(known));
    if (!isFailing) stale.push({ event, reason: { code: 'check_passed' } });
  }
  return stale;
}

async function isStillFailing(github: Asking['github'], repo: Repo, runId: number): Promise<boolean> {
  const run = await github.fetchActionsRun(repo.config.fullName, runId);
  if (run === null) return false;
  return hasFailed({ isDone: run.status === 'completed', conclusion: run.conclusion });
}
