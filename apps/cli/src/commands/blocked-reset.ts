import { readSettings, type Settings } from '@mergexo/config';
import { Failure, UsageError } from '@mergexo/core/basics';
import { formatSince } from '@mergexo/core/health';
import type { ResetMessage } from '@mergexo/core/ledger';
import { asksForHead } from '@mergexo/core/turns';
import type { Context } from '../context.js';
import { parseReason } from '../operator/parse-arguments.js';
import { askOperator, type Done, sendRequest, startRequest } from '../operator/send-request.js';
import { toLine } from '../printable.js';

export type BlockedResetOptions = {
  pr?: string[];
  issue?: string[];
  all?: boolean;
  repo?: string;
  headSha?: string;
  reason?: string;
  dryRun?: boolean;
  yes?: boolean;
};

type ResetDone = Done<'reset'>;
type Selection = Pick<ResetMessage, 'pulls' | 'repo' | 'headSha' | 'reason'>;

/**
 * Unblocks all named pull requests and issues, or none. If no poller is running, this command makes the change itself.
 */
export async function resetBlocked(context: Context, options: BlockedResetOptions): Promise<void> {
  const selection = parseSelection(options);
  const settings = readSettings(context);
  if (options.dryRun) {
    const { pulls } = await preview(settings, context, selection);
    context.print({ ok: true, dry_run: true, pulls: pulls.map(toJson) }, () => [
      ...render(pulls, selection, { isDryRun: true }),
      'Nothing was changed.',
    ]);
    return;
  }
  const confirmed =
    selection.pulls === null && !options.yes ? await confirmAll(settings, context, selection) : selection;
  if (confirmed === undefined) {
    context.print({ ok: true, pulls: [] }, () => ['Nothing was changed.']);
    return;
  }
  const { answer, through } = await sendRequest(settings, context, {
    request: buildRequest(confirmed),
    check: 'feedback blocked list',
  });
  if (answer.kind === 'refused') throw new Failure('conflict', answer.reason);
  const { pulls } = answer;
  context.print({ ok: true, dry_run: false, through, pulls: pulls.map(toJson) }, () =>
    render(pulls, selection, { isDryRun: false }),
  );
}

/**
 * Limits the reset to the work that the operator saw. Skips work that became blocked, and retries that
 * started, while the operator was confirming.
 */
async function confirmAll(
  settings: Settings,
  context: Context,
  selection: Selection,
): Promise<Selection | undefined> {
  if (context.confirm === undefined) {
    throw new UsageError(
      '--all needs a confirmation, but there is no terminal. Add --yes to confirm, or use --pr. Nothing was changed.',
    );
  }
  const { pulls } = await preview(settings, context, selection);
  if (pulls.length === 0) return undefined;
  if (!(await context.confirm(`Unblock or retry ${pulls.map(nameOf).join(', ')}?`))) return undefined;
  const present = new Set((await preview(settings, context, selection)).pulls.map(nameOf));
  const stillBlocked = pulls.filter((pull) => present.has(nameOf(pull)));
  if (stillBlocked.length === 0) return undefined;
  return {
    ...selection,
    pulls: stillBlocked.map(({ repo, prNumber, issueNumber }) =>
      prNumber === null ? { repo, issueNumber } : { repo, prNumber },
    ),
  };
}

async function preview(settings: Settings, context: Context, selection: Selection): Promise<ResetDone> {
  const answer = await askOperator(settings, context, { message: buildRequest(selection), preview: true });
  if (answer.kind === 'reset') return answer;
  throw new Failure(
    'conflict',
    'reason' in answer ? answer.reason : `Unexpected response from the poller: ${answer.kind}.`,
  );
}

function buildRequest({ reason, ...wanted }: Selection): ResetMessage {
  return { kind: 'reset', ...startRequest(reason), ...wanted };
}

function parseSelection(options: BlockedResetOptions): Selection {
  const { pr, issue, all, headSha } = options;
  const repo = options.repo ?? null;
  const reason = parseReason(options.reason ?? null);
  if ((pr === undefined && issue === undefined) === (all !== true))
    throw new UsageError('Use --pr <number>, --issue <number> or --all.');
  if (repo !== null && !/^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(repo))
    throw new UsageError(`--repo must look like owner/name, not ${JSON.stringify(repo)}.`);
  if (headSha !== undefined && !/^[0-9a-f]{40}$/i.test(headSha))
    throw new UsageError(`--head-sha must be the 40 hex digits of a commit, not ${JSON.stringify(headSha)}.`);
  const pulls = parseNumbers('--pr', pr);
  const issues = parseNumbers('--issue', issue);
  if (headSha !== undefined && (pulls.length !== 1 || issues.length > 0))
    throw new UsageError('--head-sha needs exactly one --pr, because each pull request has its own head.');
  const named = [
    ...pulls.map((prNumber) => ({ repo, prNumber })),
    ...issues.map((issueNumber) => ({ repo, issueNumber })),
  ];
  return { pulls: named.length === 0 ? null : named, repo, headSha: headSha?.toLowerCase() ?? null, reason };
}

function parseNumbers(option: '--pr' | '--issue', texts: readonly string[] = []): number[] {
  const numbers = texts.map((text) => {
    const [, digits] = /^#?([1-9]\d{0,8})$/.exec(text) ?? [];
    if (digits === undefined)
      throw new UsageError(`${option} takes a number such as 7, not ${JSON.stringify(text)}.`);
    return Number(digits);
  });
  return [...new Set(numbers)];
}

function toJson(pull: ResetDone['pulls'][number]) {
  return {
    repo: pull.repo,
    pr: pull.prNumber,
    issue: pull.issueNumber,
    kind: pull.blockedKind,
    reason: pull.reason,
    limit: pull.limit && { adapter: pull.limit.adapter, until: new Date(pull.limit.until).toISOString() },
    accepted_head_sha: pull.acceptedHeadSha,
    head_sha: pull.headSha,
    unanswered_comments: pull.waitingComments,
  };
}

function render(pulls: ResetDone['pulls'], { headSha }: Selection, mode: { isDryRun: boolean }): string[] {
  if (pulls.length === 0) return ['Nothing is blocked, and no retry is scheduled.'];
  return pulls.flatMap((pull) => [
    ...describeChange(pull, mode),
    ...(pull.prNumber === null
      ? []
      : [
          `  accepted head: ${toLine(pull.acceptedHeadSha ?? 'none')}${headSha === null ? ' (unchanged)' : ' (new)'}`,
        ]),
    ...(headSha === null && asksForHead(pull.blockedKind)
      ? [
          '  note: MergeXO blocks the pull request again unless its branch contains the accepted head. Use --head-sha to accept another head.',
        ]
      : []),
    ...(headSha !== null && pull.headSha !== null && pull.headSha !== headSha
      ? [`  note: the head on GitHub was ${toLine(pull.headSha)}. It must descend from the accepted head.`]
      : []),
    `  unanswered comments: ${pull.waitingComments}`,
  ]);
}

function describeChange(pull: ResetDone['pulls'][number], { isDryRun }: { isDryRun: boolean }): string[] {
  const name = `${nameOf(pull)}${pull.prNumber === null ? '' : ` (issue #${pull.issueNumber})`}`;
  const reason = toLine(pull.reason ?? pull.blockedKind ?? 'unknown');
  if (pull.limit !== null) {
    const { adapter, until } = pull.limit;
    return [
      `${name} is waiting: ${toLine(adapter)} has reached its usage limit. MergeXO retries at ${formatSince(until, Date.now())}, when the limit resets.`,
    ];
  }
  if (pull.blockedKind === null)
    return [
      `${isDryRun ? 'Would start' : 'Started'} the scheduled retry of ${name}`,
      `  reason for the retry: ${reason}`,
    ];
  return [`${isDryRun ? 'Would unblock' : 'Unblocked'} ${name}`, `  reason for the block: ${reason}`];
}

function nameOf({ repo, prNumber, issueNumber }: ResetDone['pulls'][number]): string {
  return `${repo}#${prNumber ?? issueNumber}`;
}
