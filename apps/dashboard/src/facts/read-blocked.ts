import { MERGEXO_CLI } from '@mergexo/core/basics';
import { asksForHead } from '@mergexo/core/turns';
import type { Pull, Repository, Run } from '@mergexo/state';
import type { Facts } from './read-facts.js';

export type Blocked = {
  repo: string;
  issue: number;
  title: string;
  pr: number | null;
  url: string | null;
  kind: string;
  reason: string;
  since: number;
  acceptedHeadSha: string | null;
  /** As GitHub showed it last. */
  headSha: string | null;
  waitingComments: number;
  /** What lets it go on, to be copied: shell commands for a pull request, a comment before there is one. */
  remedies: readonly { about: string; command: string }[];
};

/** What waits for an operator in a repository, and what he can do about it. */
export function readBlocked(facts: Facts, repository: Repository): Blocked[] {
  const { state } = facts;
  const pulls = state.listWatchedPulls(repository.id).filter(({ status }) => status === 'blocked');
  const covered = new Set(pulls.map(({ runId }) => runId));
  const runs = state.listRuns(repository.id, ['blocked']).filter(({ id }) => !covered.has(id));
  return [
    ...pulls.map((pull) => describePull(facts, repository, pull)),
    ...runs.map((run) => describeRun(facts, repository, run)),
  ];
}

/** What is blocked under the number of a pull request, or of an issue without one; undefined when nothing is. */
export function findBlocked(facts: Facts, name: string, number: number): Blocked | undefined {
  const repository = findRepository(facts, name);
  const all = repository === undefined ? [] : readBlocked(facts, repository);
  return all.find(({ pr, issue }) => (pr ?? issue) === number);
}

/** As on GitHub, where capitals make no difference. */
export function findRepository({ state }: Facts, name: string): Repository | undefined {
  return state
    .listRepositories()
    .find((repository) => `${repository.owner}/${repository.name}`.toLowerCase() === name.toLowerCase());
}

function describePull({ state }: Facts, repository: Repository, pull: Pull): Blocked {
  const { repoId, prNumber, issueNumber } = pull;
  const told = state
    .listEventsOfIssue(repoId, issueNumber)
    .findLast(({ type, prNumber: pr }) => type === 'pull_blocked' && pr === prNumber);
  const headSha = readObserved(told?.payload) ?? pull.headSha;
  const repo = `${repository.owner}/${repository.name}`;
  const reset = `${MERGEXO_CLI} feedback blocked reset --repo ${repo} --pr ${prNumber}`;
  // A rewrite that the agent made in its own checkout left the branch where it was: there is nothing to accept.
  const rewritten = asksForHead(pull.blockedKind) && headSha !== pull.acceptedHeadSha;
  return {
    repo,
    issue: issueNumber,
    title: state.readRun(pull.runId)?.issueTitle ?? '',
    pr: prNumber,
    url: pull.url,
    kind: pull.blockedKind ?? 'unknown',
    reason: pull.error ?? 'no reason was recorded',
    since: told?.createdAt ?? pull.updatedAt,
    acceptedHeadSha: pull.acceptedHeadSha,
    headSha,
    waitingComments: state.listUnclaimedEvents(repoId, prNumber).length,
    remedies: [
      {
        about: rewritten ? 'once the accepted head is restored on the branch' : 'once the cause is mended',
        command: reset,
      },
      ...(rewritten && headSha !== null
        ? [{ about: 'or, to accept the new history', command: `${reset} --head-sha ${headSha}` }]
        : []),
    ],
  };
}

function describeRun({ state }: Facts, repository: Repository, run: Run): Blocked {
  const { repoId, issueNumber } = run;
  const told = state.readLastEventOfIssue(repoId, issueNumber, 'run_blocked');
  return {
    repo: `${repository.owner}/${repository.name}`,
    issue: issueNumber,
    title: run.issueTitle,
    pr: null,
    url: null,
    kind: run.blockedKind ?? 'unknown',
    reason: run.error ?? 'no reason was recorded',
    since: told?.createdAt ?? run.updatedAt,
    acceptedHeadSha: null,
    headSha: null,
    waitingComments: state.listUnclaimedEvents(repoId, issueNumber).length,
    remedies: [
      {
        about: 'once the cause is fixed',
        command: `${MERGEXO_CLI} feedback blocked reset --repo ${repository.owner}/${repository.name} --issue ${issueNumber}`,
      },
      { about: 'or comment on the issue', command: '/mergexo retry' },
    ],
  };
}

function readObserved(payload: unknown): string | null {
  if (typeof payload !== 'object' || payload === null || !('observed_head_sha' in payload)) return null;
  const { observed_head_sha: observed } = payload;
  return typeof observed === 'string' && /^[0-9a-f]{40}$/.test(observed) ? observed : null;
}
