import type { State } from '../create-state.js';
import type { Pull } from '../tables/pulls.js';
import type { Run } from '../tables/runs.js';

export type BlockedWork = {
  issue: number;
  title: string;
  /** Null if the run was blocked before it had a pull request. */
  pr: number | null;
  url: string | null;
  kind: string | null;
  reason: string | null;
  since: number;
  acceptedHeadSha: string | null;
  /** The latest head that the poller read from GitHub. */
  headSha: string | null;
  /** The head that the poller read from GitHub when it blocked the pull request. */
  observedHeadSha: string | null;
  waitingComments: number;
};

/** Lists the blocked pull requests and issues of a repository, which are waiting for an operator. */
export function listBlocked(state: State, repoId: number): BlockedWork[] {
  const pulls = state.listWatchedPulls(repoId).filter(({ status }) => status === 'blocked');
  const covered = new Set(pulls.map(({ runId }) => runId));
  const runs = state.listRuns(repoId, ['blocked']).filter(({ id }) => !covered.has(id));
  return [...pulls.map((pull) => describePull(state, pull)), ...runs.map((run) => describeRun(state, run))];
}

function describePull(state: State, pull: Pull): BlockedWork {
  const { repoId, prNumber: pr, issueNumber: issue, url, acceptedHeadSha, headSha } = pull;
  const told = state
    .listEventsOfIssue(repoId, issue)
    .findLast(({ type, prNumber }) => type === 'pull_blocked' && prNumber === pr);
  return {
    ...{ issue, pr, url, acceptedHeadSha, headSha },
    title: state.readRun(pull.runId)?.issueTitle ?? '',
    kind: pull.blockedKind,
    reason: pull.error,
    since: told?.createdAt ?? pull.updatedAt,
    observedHeadSha: readObserved(told?.payload),
    waitingComments: state.listUnclaimedEvents(repoId, pr).length,
  };
}

function describeRun(state: State, run: Run): BlockedWork {
  const { repoId, issueNumber: issue } = run;
  const told = state.readLastEventOfIssue(repoId, issue, 'run_blocked');
  return {
    ...{ issue, pr: null, url: null, acceptedHeadSha: null, headSha: null, observedHeadSha: null },
    title: run.issueTitle,
    kind: run.blockedKind,
    reason: run.error,
    since: told?.createdAt ?? run.updatedAt,
    waitingComments: state.listUnclaimedEvents(repoId, issue).length,
  };
}

function readObserved(payload: unknown): string | null {
  if (typeof payload !== 'object' || payload === null || !('observed_head_sha' in payload)) return null;
  const { observed_head_sha: observed } = payload;
  return typeof observed === 'string' && /^[0-9a-f]{40}$/.test(observed) ? observed : null;
}
