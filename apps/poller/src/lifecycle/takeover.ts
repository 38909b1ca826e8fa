import type { Remark } from '@mergexo/core/feedback';
import { hasLabel } from '@mergexo/core/text';
import type { Issue } from '@mergexo/github';
import type { Pull, State } from '@mergexo/state';
import type { Records, Repo } from '../tools.js';
import { TAKEN_OVER } from './admit.js';
import { endTurn } from './end-turn.js';
import { recordEvents } from './record-events.js';
import { finishOpenedStart } from './settle-turn.js';

export function isIgnored({ ignoredSince, issueIgnoredSince }: Pull): boolean {
  return ignoredSince !== null || issueIgnoredSince !== null;
}

/** True for comments made during a takeover, which MergeXO ignores. Earlier comments stay pending. */
export function isSaidMeanwhile(pull: Pull, { updatedAt }: Remark): boolean {
  const since = [pull.ignoredSince, pull.issueIgnoredSince].filter((time) => time !== null);
  return since.some((time) => updatedAt > time);
}

/** An issue or pull request with its labels. */
export type Labelled = Pick<Issue, 'number' | 'labels' | 'updatedAt' | 'isPullRequest'>;

/** Pauses or resumes work when the ignore label on a pull request or its issue changes. Requires a transaction. */
export function noteTakeover(tools: Records, repo: Repo, issue: Labelled): void {
  const { state, now } = tools;
  const isOver = hasLabel(issue.labels, repo.config.labels.ignore);
  for (const [pull, column] of findPulls(state, repo, issue)) {
    if (isOver === (pull[column] !== null)) continue;
    state.savePull({ ...pull, [column]: isOver ? issue.updatedAt : null }, now());
    const turn = state.readLiveTurnOfRun(pull.runId);
    if (isOver && turn?.prNumber === null) finishOpenedStart(tools, turn, { code: 'taken_over' });
    else if (isOver && turn !== undefined) endTurn(tools, turn, { end: 'cancelled', reason: TAKEN_OVER });
    const { repoId, runId, issueNumber, prNumber } = pull;
    recordEvents(tools, [
      { type: 'takeover', repoId, runId, issueNumber, prNumber, payload: { taken_over: isOver } },
    ]);
  }
}

/** Records takeovers. Returns true if a person has taken over the pull request or its issue. Requires a transaction. */
export function noteTakeovers(tools: Records, repo: Repo, issues: readonly Labelled[]): boolean {
  for (const issue of issues) noteTakeover(tools, repo, issue);
  return issues.some(({ labels }) => hasLabel(labels, repo.config.labels.ignore));
}

function findPulls(
  state: State,
  repo: Repo,
  issue: Labelled,
): [Pull, 'ignoredSince' | 'issueIgnoredSince'][] {
  if (issue.isPullRequest) {
    const pull = state.readPull(repo.id, issue.number);
    return pull === undefined ? [] : [[pull, 'ignoredSince']];
  }
  return state.listRunsOfIssue(repo.id, issue.number).flatMap(({ prNumber }) => {
    const pull = prNumber === null ? undefined : state.readPull(repo.id, prNumber);
    return pull === undefined ? [] : [[pull, 'issueIgnoredSince'] satisfies [Pull, 'issueIgnoredSince']];
  });
}
