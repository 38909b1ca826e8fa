import { Failure, isWithin, type Log } from '@mergexo/core/basics';
import type { GitHub } from '@mergexo/github';
import type { Run, State } from '@mergexo/state';
import { abandonStart, endRun, findAbandonment } from '../lifecycle/run/abandon-start.js';
import type { Repo } from '../tools.js';

type Tools = {
  state: State;
  github: Pick<GitHub, 'fetchThread' | 'fetchRepository'>;
  now: () => number;
  log: Log;
};

const PAUSE_MS = 10 * 60_000;
const NEVER = { waitingRunId: 0, waitingCheckedAt: 0 };

/**
 * With no room for new work, those that wait are looked at one by one, now and then: an issue that was deleted or moved says
 * nothing any more, and one of an earlier version may be closed for long.
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
      // GitHub says the same of all that we may not see for a while: the repository at least must be there.
      await github.fetchRepository(fullName);
      return () => endRun(tools, run, { reason: 'the issue is gone', kind: null, said: false });
    }
    log.warn({ issue_number: run.issueNumber, err: error }, 'an issue that is waited for cannot be read');
    return () => {};
  }
}
