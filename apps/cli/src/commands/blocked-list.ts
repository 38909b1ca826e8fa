import { MERGEXO_CLI } from '@mergexo/core/basics';
import { formatTime } from '@mergexo/core/timeline';
import { asksForHead } from '@mergexo/core/turns';
import type { Pull, Repository, Run, State } from '@mergexo/state';
import type { Context } from '../context.js';
import { toLine } from '../printable.js';
import { findRepositories, nameOf, readState } from '../read-state.js';
import { renderTable } from '../render-table.js';

export type BlockedListOptions = { repo?: string };

/** Which pull requests and issues wait for an operator, and why. */
export function listBlocked(context: Context, options: BlockedListOptions): void {
  const blocked = readState(context, (state) =>
    findRepositories(state, options.repo).flatMap((repository) => [
      ...state
        .listWatchedPulls(repository.id)
        .filter(({ status }) => status === 'blocked')
        .map((pull) => describePull(state, repository, pull)),
      ...state
        .listRuns(repository.id, ['blocked'])
        .filter(({ prNumber }) => prNumber === null)
        .map((run) => describeRun(state, repository, run)),
    ]),
  );
  context.print({ ok: true, blocked }, () => render(blocked));
}

type Blocked = ReturnType<typeof describePull | typeof describeRun>;

function describePull(state: State, repository: Repository, pull: Pull) {
  const { repoId, prNumber, issueNumber } = pull;
  const told = state
    .listEventsOfIssue(repoId, issueNumber)
    .findLast((event) => event.type === 'pull_blocked' && event.prNumber === prNumber);
  return {
    repo: nameOf(repository),
    pr: prNumber,
    issue: issueNumber,
    kind: pull.blockedKind,
    reason: pull.error,
    accepted_head_sha: pull.acceptedHeadSha,
    /** As GitHub showed it last. */
    head_sha: pull.headSha ?? readObserved(told?.payload),
    since: new Date(told?.createdAt ?? pull.updatedAt).toISOString(),
    waiting_comments: state.listUnclaimedEvents(repoId, prNumber).length,
    url: pull.url,
  };
}

/** Blocked before it had a pull request. */
function describeRun(state: State, repository: Repository, run: Run) {
  const { repoId, issueNumber } = run;
  const told = state.readLastEventOfIssue(repoId, issueNumber, 'run_blocked');
  return {
    repo: nameOf(repository),
    pr: null,
    issue: issueNumber,
    kind: run.blockedKind,
    reason: run.error,
    accepted_head_sha: null,
    head_sha: null,
    since: new Date(told?.createdAt ?? run.updatedAt).toISOString(),
    waiting_comments: state.listUnclaimedEvents(repoId, issueNumber).length,
    url: null,
  };
}

function readObserved(payload: unknown): string | null {
  if (typeof payload !== 'object' || payload === null || !('observed_head_sha' in payload)) return null;
  const { observed_head_sha: observed } = payload;
  return typeof observed === 'string' ? observed : null;
}

function render(blocked: readonly Blocked[]): string[] {
  if (blocked.length === 0) return ['Nothing is blocked.'];
  const rows = blocked.map((one) => [
    one.repo,
    one.pr === null ? '-' : `#${one.pr}`,
    `#${one.issue}`,
    toLine(one.kind ?? 'unknown'),
    formatTime(Date.parse(one.since)),
    String(one.waiting_comments),
    toLine(one.accepted_head_sha ?? '-'),
  ]);
  const [heading = '', ...lines] = renderTable(
    ['REPO', 'PR', 'ISSUE', 'KIND', 'SINCE', 'COMMENTS', 'ACCEPTED HEAD'],
    rows,
  );
  return [
    heading,
    ...blocked.flatMap((one, index) => [
      lines[index] ?? '',
      `  ${toLine(one.reason ?? 'no reason was recorded')}`,
    ]),
    '',
    ...renderRemedies(blocked),
  ];
}

function renderRemedies(blocked: readonly Blocked[]): string[] {
  const reset = `${MERGEXO_CLI} feedback blocked reset`;
  return [
    ...(blocked.some(({ pr }) => pr !== null)
      ? [`When the cause is fixed: \`${reset} --pr <number>\`.`]
      : []),
    ...blocked
      // A rewrite that was never pushed left the accepted head in place: there is nothing to accept.
      .filter((one) => one.pr !== null && asksForHead(one.kind) && one.head_sha !== one.accepted_head_sha)
      .map(
        ({ repo, pr, head_sha: head }) =>
          `To accept its rewritten history: \`${reset} --repo ${repo} --pr ${pr} --head-sha ${toLine(head ?? '<its head>')}\`.`,
      ),
    ...(blocked.some(({ pr }) => pr === null)
      ? [
          `To retry an issue without a pull request: \`${reset} --issue <number>\`, or comment \`/mergexo retry\` on it.`,
        ]
      : []),
  ];
}
