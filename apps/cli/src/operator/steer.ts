import { readSettings } from '@mergexo/config';
import { Failure, MERGEXO_CLI } from '@mergexo/core/basics';
import type { SteerOrder } from '@mergexo/core/ledger';
import type { Context } from '../context.js';
import { toLine } from '../printable.js';
import { parseNumber, parseReason, parseRepo } from './parse-arguments.js';
import { type Done, sendRequest, startRequest } from './send-request.js';

export type SteerOptions = { repo?: string; reason?: string };

/** Pauses, resumes or cancels work. If no poller is running, this command makes the change itself. */
export async function steer(
  context: Context,
  { order, number, options }: { order: SteerOrder; number: string | undefined; options: SteerOptions },
): Promise<void> {
  const { repo = null, reason = null } = options;
  const request = {
    kind: 'steer' as const,
    ...startRequest(parseReason(reason)),
    order,
    repo: parseRepo(repo),
    number: number === undefined ? null : parseNumber(number),
  };
  const settings = readSettings(context);
  const { answer, through } = await sendRequest(settings, context, { request, check: 'status' });
  if (answer.kind === 'refused') throw new Failure('conflict', answer.reason);
  const { changed, repo: name, issueNumber, turn } = answer;
  context.print({ ok: true, order, changed, through, repo: name, issue: issueNumber, turn }, () =>
    render(order, answer),
  );
}

const TEXTS: Record<SteerOrder, { done: string; already: string; next: SteerOrder | null }> = {
  pause: { done: 'Paused', already: 'is already paused', next: 'resume' },
  resume: { done: 'Resumed', already: 'is not paused', next: null },
  cancel: { done: 'Canceled the turn and paused', already: 'is already paused', next: 'resume' },
  'skip-review': {
    done: 'Skipped the AI review of the current head commit of',
    already: 'has no AI review to skip: an operator has skipped it already',
    next: null,
  },
};

function render(order: SteerOrder, { changed, repo, issueNumber, turn }: Done<'steer'>): string[] {
  const { done, already, next } = TEXTS[order];
  const { name, scope } = describeScope(repo, issueNumber);
  if (!changed) return [`${repo === null ? 'MergeXO' : name} ${already}. Nothing was changed.`];
  return [
    `${done} ${name}.`,
    ...(order === 'pause' && turn !== null
      ? [`A turn is running and will finish. To stop it, run \`${MERGEXO_CLI} cancel${scope}\`.`]
      : []),
    ...(next === null ? [] : [`To continue, run \`${MERGEXO_CLI} ${next}${scope}\`.`]),
  ];
}

/** Returns the name of the scope and the arguments that select it. */
function describeScope(repo: string | null, issueNumber: number | null): { name: string; scope: string } {
  if (repo === null) return { name: 'all work', scope: '' };
  const owner = toLine(repo);
  if (issueNumber === null) return { name: owner, scope: ` --repo ${owner}` };
  return { name: `${owner}#${issueNumber}`, scope: ` ${issueNumber} --repo ${owner}` };
}
