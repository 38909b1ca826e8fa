import { findBrake } from '@mergexo/core/ledger';
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

/**
 * Lists the blocked pull requests and issues of a repository or of one issue, which are waiting for an operator. Includes
 * runs over a limit that only an operator lifts.
 */
export function listBlocked(state: State, repoId: number, issue?: number): BlockedWork[] {
  const { pulls, runs } = issue === undefined ? listAll(state, repoId) : listOfIssue(state, repoId, issue);
  const blocked = pulls.filter(({ status }) => status === 'blocked');
  const covered = new Set(blocked.map(({ runId }) => runId));
  return [
    ...blocked.map((pull) => describePull(state, pull)),
    ...runs.filter(({ id }) => !covered.has(id)).map((run) => describeRun(state, run)),
  ];
}

type Candidates = { pulls: readonly Pull[]; runs: readonly Run[] };

function listAll(state: State, repoId: number): Candidates {
  const runs = state.listRuns(repoId, ['blocked', 'ready', 'awaiting_issue_followup']).filter(needsOperator);
  return { pulls: state.listWatchedPulls(repoId), runs };
}

function needsOperator(run: Run): boolean {
  const brake = findBrake({ ...run, turn: undefined, now: 0 });
  return brake === 'blocked' || (brake === 'limit' && run.ignoredSince === null);
}

function listOfIssue(state: State, repoId: number, issue: number): Candidates {
  const runs = state.listRunsOfIssue(repoId, issue);
  const pulls = runs.flatMap(({ prNumber }) =>
    prNumber === null ? [] : (state.readPull(repoId, prNumber) ?? []),
  );
  return { pulls, runs: runs.filter(needsOperator) };
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
  const type = run.status === 'blocked' ? 'run_blocked' : 'run_parked';
  const told = state.readLastEventOfIssue(repoId, issue, type);
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
