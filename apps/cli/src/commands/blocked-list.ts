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
    unanswered_comments: work.waitingComments,
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
    String(one.unanswered_comments),
    toLine(one.accepted_head_sha ?? '-'),
  ]);
  const [heading = '', ...lines] = renderTable(
    ['REPO', 'PR', 'ISSUE', 'KIND', 'SINCE', 'UNANSWERED', 'ACCEPTED HEAD'],
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
  const pulls = blocked.filter(({ pr }) => pr !== null);
  return [
    ...(pulls.some((one) => !needsHead(one))
      ? [`After you fix the cause, run \`${reset} --pr <number>\`.`]
      : []),
    ...pulls.filter(needsHead).flatMap(({ repo, pr, head_sha: head }) => {
      const command = `${reset} --repo ${repo} --pr ${pr}`;
      return [
        `If you restored the accepted head, run \`${command}\`.`,
        `To accept the current head instead, run \`${command} --head-sha ${toLine(head ?? '<sha>')}\`.`,
      ];
    }),
    ...(pulls.length < blocked.length
      ? [
          `To retry an issue without a pull request, run \`${reset} --issue <number>\`, or comment \`/mergexo retry\` on it.`,
        ]
      : []),
  ];
}

/** True if the operator must choose a head, because the branch moved. An unpushed rewrite has no new head. */
function needsHead({ kind, head_sha: head, accepted_head_sha: accepted }: Blocked): boolean {
  return asksForHead(kind) && head !== accepted;
}
