import { randomUUID } from 'node:crypto';
import { readSettings } from '@mergexo/config';
import { Failure, MERGEXO_CLI, UsageError } from '@mergexo/core/basics';
import type { SteerOrder } from '@mergexo/core/ledger';
import type { Context } from '../context.js';
import { toLine } from '../printable.js';
import { type Done, EXPIRES_AFTER_MS, sendRequest } from './send-request.js';

export type SteerOptions = { repo?: string; reason?: string };

/** Pauses, resumes or cancels work. If no poller is running, this command makes the change itself. */
export async function steer(
  context: Context,
  { order, number, options }: { order: SteerOrder; number: string | undefined; options: SteerOptions },
): Promise<void> {
  const { repo = null, reason = null } = options;
  const request = {
    kind: 'steer' as const,
    requestId: randomUUID(),
    by: 'cli' as const,
    expiresAt: Date.now() + EXPIRES_AFTER_MS,
    order,
    repo: parseRepo(repo),
    number: parseNumber(number),
    reason: parseReason(reason),
  };
  const settings = readSettings(context);
  const { answer, through } = await sendRequest(settings, context, { request, check: 'status' });
  if (answer.kind === 'refused') throw new Failure('conflict', answer.reason);
  const { changed, repo: name, issueNumber, turn } = answer;
  context.print({ ok: true, order, changed, through, repo: name, issue: issueNumber, turn }, () =>
    render(order, answer),
  );
}

function parseRepo(repo: string | null): string | null {
  if (repo === null || /^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(repo)) return repo;
  throw new UsageError(`--repo must look like owner/name, not ${JSON.stringify(repo)}.`);
}

function parseNumber(text: string | undefined): number | null {
  if (text === undefined) return null;
  const [, digits] = /^#?([1-9]\d{0,8})$/.exec(text) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new UsageError(
    `Add the number of an issue or pull request, such as 42, not ${JSON.stringify(text)}.`,
  );
}

function parseReason(reason: string | null): string | null {
  if (reason === null || reason.length <= 300) return reason;
  throw new UsageError('--reason must have at most 300 characters.');
}

const PAST: Record<SteerOrder, string> = {
  pause: 'Paused',
  resume: 'Resumed',
  cancel: 'Canceled the turn and paused',
};
const ALREADY: Record<SteerOrder, string> = {
  pause: 'is already paused',
  resume: 'is not paused',
  cancel: 'is already paused',
};

function render(order: SteerOrder, { changed, repo, issueNumber, turn }: Done<'steer'>): string[] {
  const name =
    repo === null ? 'all work' : issueNumber === null ? toLine(repo) : toLine(`${repo}#${issueNumber}`);
  const scope =
    repo === null
      ? ''
      : issueNumber === null
        ? ` --repo ${toLine(repo)}`
        : ` ${issueNumber} --repo ${toLine(repo)}`;
  if (!changed) return [`${name} ${ALREADY[order]}. Nothing was changed.`];
  return [
    `${PAST[order]} ${name}.`,
    ...(order === 'pause' && turn !== null
      ? [`A turn is running and will finish. To stop it, run \`${MERGEXO_CLI} cancel${scope}\`.`]
      : []),
    ...(order === 'resume' ? [] : [`To continue, run \`${MERGEXO_CLI} resume${scope}\`.`]),
  ];
}
