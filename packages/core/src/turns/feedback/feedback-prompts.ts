import type { CheckStatus } from '../../agent/turn-package.js';
import { fence, fenceOutput, fencePost, list, oneLine } from '../../prompts/fence.js';
import { renderStateSummary } from '../../prompts/state-summary.js';
import { type Frame, renderSystemBase } from '../../prompts/system-base.js';
import type { KindOf } from '../turn-kind.js';
import type { FeedbackContext, FeedbackEventContext } from './feedback-context.js';
import { type MergeNote, renderMerge } from './merge.js';

const MAX_FILES = 100;

export type FeedbackInput = {
  context: FeedbackContext;
  changedFiles: readonly string[];
  /** The state summary for a new conversation; null for a continued conversation. */
  summary: string | null;
  /** The result of the merge, if an update was requested. */
  merge?: MergeNote | null;
};

function renderDesignFeedback(input: FeedbackInput, frame: Frame): string {
  const path = oneLine(input.context.designDocPath ?? '');
  const task = [
    `The design document is ${path}. Revise it where the feedback is correct.`,
    'Keep the frontmatter (the block between the two --- lines at the top of the document).',
  ];
  return [
    renderTask(input.context, task),
    renderSystemBase('design_feedback', frame),
    ...renderWork(input),
  ].join('\n\n');
}

function renderImplementationFeedback(input: FeedbackInput, frame: Frame): string {
  const task = ['Where the feedback is correct, make the requested changes and add tests.'];
  return [
    renderTask(input.context, task),
    renderSystemBase('implementation_feedback', frame),
    ...renderWork(input),
  ].join('\n\n');
}

export const FEEDBACK_PROMPTS = {
  design_feedback: renderDesignFeedback,
  implementation_feedback: renderImplementationFeedback,
} as const satisfies Record<KindOf<'feedback'>, unknown>;

function renderTask(
  { repo, pull, issue, branch, headSha }: FeedbackContext,
  task: readonly string[],
): string {
  const all = [
    ...task,
    'Reply to every new comment below. Reply to a line comment in review_replies, with its id. Use one general_comment ' +
      'for everything else, including line comments without an entry in review_replies. MergeXO rejects ids that are not listed below.',
    'Edit the files in the working directory and write a commit_message. MergeXO commits your edits after you answer. ' +
      'If you made no edits, set commit_message to null.',
    "Do not mention your commit's SHA: the commit does not exist yet.",
  ];
  return [
    `Repository ${repo}, pull request #${pull.number} for issue #${issue.number}. Its branch ${oneLine(branch)} is ` +
      `checked out at ${headSha}.`,
    `There is new feedback on the pull request. Reply to each item.\n${list(all)}`,
  ].join('\n\n');
}

function renderWork({ context, changedFiles, summary, merge }: FeedbackInput): string[] {
  const { pull, issue } = context;
  return [
    renderStateSummary(summary),
    // The result of a merge replaces the signals, because it is more specific.
    ...(merge
      ? renderMerge(merge, pull.baseBranch)
      : context.signals.map((signal) => SIGNALS[signal](oneLine(pull.baseBranch)))),
    ...context.cuts.map((cut) => `Omitted to stay within the size limit: ${oneLine(cut)}`),
    ...renderChecks(context.checks),
    ...renderEarlier(context),
    fencePost(`PULL REQUEST #${pull.number}`, pull),
    fencePost(`ISSUE #${issue.number}`, issue),
    ...renderFiles(changedFiles),
    ...renderBefore(context),
    `New comments and failed checks since your last answer: ${context.events.length}`,
    ...context.events.flatMap(renderEvent),
  ];
}

const SIGNALS: Record<FeedbackContext['signals'][number], (baseBranch: string) => string> = {
  merge_conflict: (base) =>
    `The branch conflicts with ${base}. Do not merge ${base} and do not rebase. If someone ` +
    `comments /mergexo update, MergeXO merges ${base} for you.`,
  base_moved: (base) =>
    `${base} has new commits that the branch does not contain. Do not merge ${base} and do not rebase.`,
};

function renderEarlier({ previousActions }: FeedbackContext): string[] {
  if (previousActions.length === 0) return [];
  const done = previousActions.map(
    ({ kind, target, summary, outcome }) =>
      `${kind}${target === null ? '' : ` (${target})`}: ${oneLine(summary)} [${outcome}]`,
  );
  return [
    'Earlier posts that MergeXO made for you, with their outcomes:',
    fenceOutput('PREVIOUS ACTIONS', list(done)),
  ];
}

export function renderChecks(checks: readonly CheckStatus[]): string[] {
  if (checks.length === 0) return [];
  const lines = checks.map(
    ({ name, status, conclusion }) => `${oneLine(name)}: ${oneLine(conclusion ?? status)}`,
  );
  return ['GitHub checks on the head commit:', fenceOutput('CHECKS', list(lines))];
}

export function renderFiles(files: readonly string[]): string[] {
  if (files.length === 0) return [];
  const left = files.length - MAX_FILES;
  const names = files.slice(0, MAX_FILES).map(oneLine);
  return [fenceOutput('CHANGED FILES', list([...names, ...(left > 0 ? [`and ${left} more`] : [])]))];
}

/** Renders earlier comments as context for the new ones. */
function renderBefore({ reviewComments, conversation, events }: FeedbackContext): string[] {
  const isNew = (kind: FeedbackEventContext['kind'], id: number): boolean =>
    events.some((event) => event.kind === kind && event.id === id);
  return [
    ...reviewComments
      .filter(({ id }) => !isNew('review', id))
      .map((comment) => {
        const thread = `IN THREAD ${comment.inReplyToId ?? comment.id}`;
        return fence(
          `EARLIER COMMENT ${comment.id} BY ${comment.author} ${thread} AT ${renderPlace(comment)}`,
          comment.body,
        );
      }),
    ...conversation
      .filter(({ id }) => !isNew('issue', id))
      .map(({ id, author, body }) => fence(`EARLIER COMMENT ${id} BY ${author}`, body)),
  ];
}

const NAMES: Record<FeedbackEventContext['kind'], string> = {
  review: 'NEW REVIEW COMMENT',
  issue: 'NEW COMMENT',
  review_summary: 'NEW REVIEW',
  ci: 'NEW FAILED RUN',
};

function renderEvent(event: FeedbackEventContext): string[] {
  const { kind, id, rootId, author, path, line, diffHunk, reviewState, body } = event;
  const name = [
    `${NAMES[kind]} ${id} BY ${author}`,
    ...(path === null ? [] : [`AT ${renderPlace({ path, line })}`]),
    ...(event.side === 'LEFT' ? ['(on the base side of the diff)'] : []),
    ...(rootId === null || rootId === id ? [] : [`IN THREAD ${rootId}`]),
    ...(reviewState === null ? [] : [`(${reviewState.replaceAll('_', ' ')})`]),
  ].join(' ');
  return [
    ...(diffHunk === null ? [] : [fenceOutput(`DIFF ABOVE COMMENT ${id}`, diffHunk)]),
    kind === 'ci' ? fenceOutput(name, body) : fence(name, body),
  ];
}

export function renderPlace({ path, line }: { path: string; line: number | null }): string {
  return line === null ? path : `${path}:${line}`;
}
