import type { CheckStatus } from '../../ci/describe-checks.js';
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
  /** For a conversation that knows nothing yet; null where one goes on. */
  summary: string | null;
  /** Where an update was asked for. */
  merge?: MergeNote | null;
};

export function renderDesignFeedback(input: FeedbackInput, frame: Frame): string {
  const path = oneLine(input.context.designDocPath ?? '');
  const task = [
    `The design document is ${path}. Revise it where people are right.`,
    'Keep its frontmatter, the block between the two --- lines at its top.',
  ];
  return [
    renderTask(input.context, task),
    renderSystemBase('design_feedback', frame),
    ...renderWork(input),
  ].join('\n\n');
}

export function renderImplementationFeedback(input: FeedbackInput, frame: Frame): string {
  const task = ['Do what people ask for where it is right, with tests.'];
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
    'Every new comment below must be answered. Answer a comment on lines with a reply in review_replies, by its id; ' +
      'everything else, and all comments on lines that have no reply, in one general_comment. Ids that are not below ' +
      'are refused.',
    'Edit the files in the working directory and give a commit_message; the commit is made after your answer. Without ' +
      'edits leave commit_message out.',
    'Do not claim commits by sha: the sha of your work is not known yet.',
  ];
  return [
    `Repository ${repo}, pull request #${pull.number} for issue #${issue.number}. Its branch ${oneLine(branch)} is ` +
      `checked out at ${headSha}.`,
    `People commented on the pull request. Answer each of them.\n${list(all)}`,
  ].join('\n\n');
}

function renderWork({ context, changedFiles, summary, merge }: FeedbackInput): string[] {
  const { pull, issue } = context;
  return [
    renderStateSummary(summary),
    // A merge that is made already says more than the signals.
    ...(merge
      ? renderMerge(merge, pull.baseBranch)
      : context.signals.map((signal) => SIGNALS[signal](oneLine(pull.baseBranch)))),
    ...context.cuts.map((cut) => `Left out to stay within size: ${oneLine(cut)}`),
    ...renderChecks(context.checks),
    ...renderEarlier(context),
    fencePost(`PULL REQUEST #${pull.number}`, pull),
    fencePost(`ISSUE #${issue.number}`, issue),
    ...renderFiles(changedFiles),
    ...renderBefore(context),
    `New since your last answer: ${context.events.length}`,
    ...context.events.flatMap(renderEvent),
  ];
}

const SIGNALS: Record<FeedbackContext['signals'][number], (baseBranch: string) => string> = {
  merge_conflict: (base) =>
    `The branch conflicts with ${base}. Leave that as it is: do not merge ${base} and do not rebase. People ask for the ` +
    'merge with /mergexo update, and then it is made for you.',
  base_moved: (base) =>
    `${base} has moved since the branch was made. Leave that as it is: do not merge ${base} and do not rebase.`,
};

function renderEarlier({ previousActions }: FeedbackContext): string[] {
  if (previousActions.length === 0) return [];
  const done = previousActions.map(
    ({ kind, target, summary, outcome }) =>
      `${kind}${target === null ? '' : ` (${target})`}: ${oneLine(summary)} [${outcome}]`,
  );
  return [
    'What was posted for you before, with what became of it:',
    fenceOutput('PREVIOUS ACTIONS', list(done)),
  ];
}

export function renderChecks(checks: readonly CheckStatus[]): string[] {
  if (checks.length === 0) return [];
  const lines = checks.map(
    ({ name, status, conclusion }) => `${oneLine(name)}: ${oneLine(conclusion ?? status)}`,
  );
  return ['Checks of this commit on GitHub:', fenceOutput('CHECKS', list(lines))];
}

export function renderFiles(files: readonly string[]): string[] {
  if (files.length === 0) return [];
  const left = files.length - MAX_FILES;
  const names = files.slice(0, MAX_FILES).map(oneLine);
  return [fenceOutput('CHANGED FILES', list([...names, ...(left > 0 ? [`and ${left} more`] : [])]))];
}

/** What was said before and is not new, so that a new comment can be understood. */
function renderBefore({ reviewComments, conversation, events }: FeedbackContext): string[] {
  const isNew = (kind: FeedbackEventContext['kind'], id: number): boolean =>
    events.some((event) => event.kind === kind && event.id === id);
  return [
    ...reviewComments
      .filter(({ id }) => !isNew('review', id))
      .map((comment) => {
        const thread = `IN THE THREAD OF ${comment.inReplyToId ?? comment.id}`;
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
    ...(event.side === 'LEFT' ? ['(a line of the base)'] : []),
    ...(rootId === null || rootId === id ? [] : [`IN THE THREAD OF ${rootId}`]),
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
