import type { Pull, Repository, State } from '@mergexo/state';
import type { Context } from '../context.js';
import { toLine } from '../printable.js';
import { findRepositories, nameOf, readState } from '../read-state.js';
import { renderTable } from '../render-table.js';

export type BlockedListOptions = { repo?: string };

/** Which pull requests wait for an operator, and why. */
export function listBlocked(context: Context, options: BlockedListOptions): void {
  const blocked = readState(context, (state) =>
    findRepositories(state, options.repo).flatMap((repository) =>
      state
        .listWatchedPulls(repository.id)
        .filter(({ status }) => status === 'blocked')
        .map((pull) => describePull(state, repository, pull)),
    ),
  );
  context.print({ ok: true, blocked }, () => render(blocked));
}

type Blocked = ReturnType<typeof describePull>;

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
    accepted_head_sha: pull.lastSeenHeadSha,
    /** As GitHub showed it last. */
    head_sha: readObserved(told?.payload) ?? pull.headSha,
    since: new Date(told?.createdAt ?? pull.updatedAt).toISOString(),
    waiting_comments: state.listUnclaimedEvents(repoId, prNumber).length,
    url: pull.url,
  };
}

function readObserved(payload: unknown): string | null {
  if (typeof payload !== 'object' || payload === null || !('observed_head_sha' in payload)) return null;
  const { observed_head_sha: observed } = payload;
  return typeof observed === 'string' ? observed : null;
}

function render(blocked: readonly Blocked[]): string[] {
  if (blocked.length === 0) return ['Nothing is blocked.'];
  const rows = blocked.map((pull) => [
    pull.repo,
    `#${pull.pr}`,
    `#${pull.issue}`,
    toLine(pull.kind ?? 'unknown'),
    pull.since.replace(/\.\d+Z$/, 'Z'),
    String(pull.waiting_comments),
    toLine(pull.accepted_head_sha ?? 'none'),
  ]);
  const [heading = '', ...lines] = renderTable(
    ['REPO', 'PR', 'ISSUE', 'KIND', 'SINCE', 'COMMENTS', 'ACCEPTED HEAD'],
    rows,
  );
  return [
    heading,
    ...blocked.flatMap((pull, index) => [
      lines[index] ?? '',
      `  ${toLine(pull.reason ?? 'no reason was recorded')}`,
    ]),
    '',
    'When the cause is mended: `mergexo feedback blocked reset --pr <number>`.',
  ];
}
