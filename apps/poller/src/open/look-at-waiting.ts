import { Failure, isWithin } from '@mergexo/core/basics';
import type { GitHub } from '@mergexo/github';
import type { Run } from '@mergexo/state';
import { abandonStart, endRun, findAbandonment } from '../lifecycle/run/abandon-start.js';
import type { Records, Repo } from '../tools.js';

type Tools = Records & { github: Pick<GitHub, 'fetchThread' | 'fetchRepository'> };

const PAUSE_MS = 10 * 60_000;
const NEVER = { waitingRunId: 0, waitingCheckedAt: 0 };

/**
 * Once the limit of open runs is reached, checks waiting runs one at a time for closed or missing issues. The
 * feed omits deleted and transferred issues, and a run from an earlier version may have a long-closed issue.
 */
export async function lookAtWaiting(tools: Tools, repo: Repo, waiting: readonly Run[]): Promise<void> {
  const { state, now } = tools;
  const { waitingRunId, waitingCheckedAt } = state.readRepoWatch(repo.id) ?? NEVER;
  const run = waiting.find(({ id }) => id > waitingRunId) ?? waiting[0];
  if (run === undefined || isWithin(PAUSE_MS, waitingCheckedAt, now())) return;
  const abandon = await findEnd(tools, repo, run);
  state.transaction(() => {
    state.saveRepoWatch(repo.id, { waitingRunId: run.id, waitingCheckedAt: now() });
    if (state.readRun(run.id)?.status === 'awaiting_issue_followup') abandon();
  });
}

async function findEnd(tools: Tools, repo: Repo, run: Run): Promise<() => void> {
  const { github, log } = tools;
  const { fullName, labels } = repo.config;
  try {
    const { issue } = await github.fetchThread(fullName, run.issueNumber);
    const abandonment = findAbandonment(issue, labels.ignore);
    return () => abandonment && abandonStart(tools, run, abandonment);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'rate-limited') throw error;
    if (error.kind === 'not-found') {
      // A 404 may be a temporary loss of access, so the run ends only if the repository is readable.
      await github.fetchRepository(fullName);
      return () => endRun(tools, run, { end: 'issue_gone', reason: 'the issue is gone' });
    }
    log.warn(
      { issue_number: run.issueNumber, err: error },
      'could not read the issue of a waiting run; MergeXO retries',
    );
    return () => {};
  }
}
