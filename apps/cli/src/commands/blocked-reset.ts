import { randomUUID } from 'node:crypto';
import { readSettings, type Settings } from '@mergexo/config';
import { Failure, UsageError } from '@mergexo/core/basics';
import { formatSince } from '@mergexo/core/health';
import { asksForHead } from '@mergexo/core/turns';
import type { Context } from '../context.js';
import { askOperator, type ResetDone, type ResetRequest, resetPulls } from '../operator/reset-pulls.js';
import { toLine } from '../printable.js';

export type BlockedResetOptions = {
  pr?: string[];
  issue?: string[];
  all?: boolean;
  repo?: string;
  headSha?: string;
  dryRun?: boolean;
  yes?: boolean;
};

/** Nobody waits longer for a poller that does not answer; later the request counts for nothing. */
const EXPIRES_AFTER_MS = 30_000;

type Wish = Pick<ResetRequest, 'pulls' | 'repo' | 'headSha'>;

/** Resumes blocked pull requests and issues, all that are named or none. Through the poller while one runs, else directly. */
export async function resetBlocked(context: Context, options: BlockedResetOptions): Promise<void> {
  const wish = readWish(options);
  const settings = readSettings(context);
  if (options.dryRun) {
    const { pulls } = await preview(settings, context, wish);
    context.print({ ok: true, dry_run: true, pulls: pulls.map(toJson) }, () => [
      ...render(pulls, wish, 'would resume'),
      'Nothing was changed.',
    ]);
    return;
  }
  const agreed = wish.pulls === null && !options.yes ? await askFirst(settings, context, wish) : wish;
  if (agreed === undefined) {
    context.print({ ok: true, pulls: [] }, () => ['Nothing was changed.']);
    return;
  }
  const { answer, through } = await resetPulls(settings, context, buildRequest(agreed));
  if (answer.kind === 'refused') throw new Failure('conflict', answer.reason);
  const { pulls } = answer;
  context.print({ ok: true, dry_run: false, through, pulls: pulls.map(toJson) }, () =>
    render(pulls, wish, 'resumes'),
  );
}

/**
 * Only the work that the operator saw is resumed: work that is blocked while the operator decides is not part of it, and a
 * retry that started by itself meanwhile needs nothing more.
 */
async function askFirst(settings: Settings, context: Context, wish: Wish): Promise<Wish | undefined> {
  if (context.confirm === undefined) {
    throw new UsageError(
      'Nobody is at the terminal to confirm --all. Add --yes if you mean it, or name them with --pr. Nothing was changed.',
    );
  }
  const { pulls } = await preview(settings, context, wish);
  if (pulls.length === 0) return undefined;
  if (!(await context.confirm(`Resume ${pulls.map(nameOf).join(', ')}?`))) return undefined;
  const present = new Set((await preview(settings, context, wish)).pulls.map(nameOf));
  const agreed = pulls.filter((pull) => present.has(nameOf(pull)));
  if (agreed.length === 0) return undefined;
  return {
    ...wish,
    pulls: agreed.map(({ repo, prNumber, issueNumber }) =>
      prNumber === null ? { repo, issueNumber } : { repo, prNumber },
    ),
  };
}

async function preview(settings: Settings, context: Context, wish: Wish): Promise<ResetDone> {
  const answer = await askOperator(settings, context, buildRequest(wish), { preview: true });
  if (answer.kind === 'reset') return answer;
  throw new Failure('conflict', 'reason' in answer ? answer.reason : `unexpected answer: ${answer.kind}`);
}

function buildRequest(wish: Wish): ResetRequest {
  return {
    kind: 'reset',
    requestId: randomUUID(),
    by: 'cli',
    expiresAt: Date.now() + EXPIRES_AFTER_MS,
    signature: null,
    ...wish,
  };
}

function readWish(options: BlockedResetOptions): Wish {
  const { pr, issue, all, headSha } = options;
  const repo = options.repo ?? null;
  if ((pr === undefined && issue === undefined) === (all !== true))
    throw wrong('Say which: --pr <number>, --issue <number>, or --all.');
  if (repo !== null && !/^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(repo))
    throw wrong(`--repo must look like owner/name, not ${JSON.stringify(repo)}.`);
  if (headSha !== undefined && !/^[0-9a-f]{40}$/i.test(headSha))
    throw wrong(`--head-sha must be the 40 hex digits of a commit, not ${JSON.stringify(headSha)}.`);
  const pulls = readNumbers('--pr', pr);
  const issues = readNumbers('--issue', issue);
  if (headSha !== undefined && (pulls.length !== 1 || issues.length > 0))
    throw wrong('--head-sha belongs to exactly one --pr: every pull request has a head of its own.');
  const named = [
    ...pulls.map((prNumber) => ({ repo, prNumber })),
    ...issues.map((issueNumber) => ({ repo, issueNumber })),
  ];
  return { pulls: named.length === 0 ? null : named, repo, headSha: headSha?.toLowerCase() ?? null };
}

function readNumbers(option: '--pr' | '--issue', texts: readonly string[] = []): number[] {
  const numbers = texts.map((text) => {
    const [, digits] = /^#?([1-9]\d{0,8})$/.exec(text) ?? [];
    if (digits === undefined) throw wrong(`${option} takes a number such as 7, not ${JSON.stringify(text)}.`);
    return Number(digits);
  });
  return [...new Set(numbers)];
}

function wrong(message: string): UsageError {
  return new UsageError(message);
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
    waiting_comments: pull.waitingComments,
  };
}

function render(pulls: ResetDone['pulls'], { headSha }: Wish, does: string): string[] {
  if (pulls.length === 0) return ['Nothing is blocked, and no retry waits.'];
  return pulls.flatMap((pull) => [
    describeResumed(pull, does),
    ...(pull.prNumber === null
      ? []
      : [
          `  accepted head: ${toLine(pull.acceptedHeadSha ?? 'none')}${headSha === null ? ' (as before)' : ' (new)'}`,
        ]),
    ...(headSha === null && asksForHead(pull.blockedKind)
      ? [
          '  note: it is blocked again unless the branch contains the accepted head; --head-sha accepts another one.',
        ]
      : []),
    ...(headSha !== null && pull.headSha !== null && pull.headSha !== headSha
      ? [
          `  note: GitHub last showed the head ${toLine(pull.headSha)}; it must descend from the accepted one.`,
        ]
      : []),
    `  ${countComments(pull.waitingComments)} for an answer`,
  ]);
}

function describeResumed(pull: ResetDone['pulls'][number], does: string): string {
  const name = `${nameOf(pull)}${pull.prNumber === null ? '' : ` (issue #${pull.issueNumber})`}`;
  const why = toLine(pull.reason ?? pull.blockedKind ?? 'unknown');
  if (pull.limit !== null) {
    const { adapter, until } = pull.limit;
    return `${name} waits: ${toLine(adapter)} has reached its usage limit. MergeXO retries at ${formatSince(until, Date.now())}, when the limit resets.`;
  }
  if (pull.blockedKind === null) return `${name} ${does}. It waited for a retry: ${why}`;
  return `${name} ${does}. It was blocked: ${why}`;
}

function nameOf({ repo, prNumber, issueNumber }: ResetDone['pulls'][number]): string {
  return `${repo}#${prNumber ?? issueNumber}`;
}

function countComments(count: number): string {
  return count === 1 ? '1 comment waits' : `${count} comments wait`;
}
