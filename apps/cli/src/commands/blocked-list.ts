import { MERGEXO_CLI } from '@mergexo/core/basics';
import { formatTime } from '@mergexo/core/timeline';
import { asksForHead } from '@mergexo/core/turns';
import { type BlockedWork, listBlocked as readBlocked } from '@mergexo/state';
import type { Context } from '../context.js';
import { toLine } from '../printable.js';
import { findRepositories, nameOf, readState } from '../read-state.js';
import { renderTable } from '../render-table.js';

export type BlockedListOptions = { repo?: string };

/** Lists pull requests and issues that need an operator. */
export function listBlocked(context: Context, options: BlockedListOptions): void {
  const blocked = readState(context, (state) =>
    findRepositories(state, options.repo).flatMap((repository) =>
      readBlocked(state, repository.id).map((work) => toJson(nameOf(repository), work)),
    ),
  );
  context.print({ ok: true, blocked }, () => render(blocked));
}

type Blocked = ReturnType<typeof toJson>;

function toJson(repo: string, work: BlockedWork) {
  return {
    repo,
    pr: work.pr,
    issue: work.issue,
    kind: work.kind,
    reason: work.reason,
    accepted_head_sha: work.acceptedHeadSha,
    head_sha: work.headSha ?? work.observedHeadSha,
    since: new Date(work.since).toISOString(),
    waiting_comments: work.waitingComments,
    url: work.url,
  };
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
      ? [`After you fix the cause: \`${reset} --pr <number>\`.`]
      : []),
    ...blocked
      // If the rewrite was never pushed, the branch did not move and there is no new head to accept.
      .filter((one) => one.pr !== null && asksForHead(one.kind) && one.head_sha !== one.accepted_head_sha)
      .map(
        ({ repo, pr, head_sha: head }) =>
          `To accept the rewritten history: \`${reset} --repo ${repo} --pr ${pr} --head-sha ${toLine(head ?? '<sha>')}\`.`,
      ),
    ...(blocked.some(({ pr }) => pr === null)
      ? [
          `To retry an issue without a pull request: \`${reset} --issue <number>\`, or comment \`/mergexo retry\` on it.`,
        ]
      : []),
  ];
}
