import type { CheckStatus } from '../../agent/turn-package.js';
import { list, oneLine } from '../../prompts/fence.js';
import { type Part, quote, quoteOutput, quotePost } from '../../prompts/part.js';
import { renderAuthor, renderIssueComments, renderLinks, renderPlace } from '../../prompts/render-threads.js';
import { renderStateSummary } from '../../prompts/state-summary.js';
import { type Frame, renderSystemBase } from '../../prompts/system-base.js';
import type { KindOf } from '../turn-kind.js';
import type { FeedbackContext, FeedbackEventContext } from './feedback-context.js';
import { type MergeNote, renderMerge } from './merge.js';
import { type CurrentCode, listSuggestions, renderEvent } from './render-event.js';

const MAX_FILES = 100;
/** Maximum length of the list of checks. A longer list would crowd out the comments. */
const MAX_CHECKS_LENGTH = 4_000;
/** Maximum length of one of the agent's own posts. */
const MAX_POST = 4_000;

export type FeedbackInput = {
  context: FeedbackContext;
  changedFiles: readonly string[];
  /** The state summary for a new conversation; null for a continued conversation. */
  summary: string | null;
  /** The result of the merge, if an update was requested. */
  merge?: MergeNote | null;
  /** The current code of outdated comments, by comment id. */
  code?: ReadonlyMap<number, CurrentCode>;
};

function renderDesignFeedback(input: FeedbackInput, frame: Frame): Part[] {
  const path = oneLine(input.context.designDocPath ?? '');
  const task = [
    `The design document is ${path}. Revise it where the feedback is correct.`,
    'Keep the frontmatter (the block between the two --- lines at the top of the document).',
  ];
  return [
    renderTask(input.context, task),
    ...renderSystemBase('design_feedback', frame),
    ...renderWork(input),
  ];
}

function renderImplementationFeedback(input: FeedbackInput, frame: Frame): Part[] {
  const task = ['Where the feedback is correct, make the requested changes and add tests.'];
  return [
    renderTask(input.context, task),
    ...renderSystemBase('implementation_feedback', frame),
    ...renderWork(input),
  ];
}

export const FEEDBACK_PROMPTS = {
  design_feedback: renderDesignFeedback,
  implementation_feedback: renderImplementationFeedback,
} as const satisfies Record<KindOf<'feedback'>, unknown>;

function renderTask(context: FeedbackContext, task: readonly string[]): string {
  const { repo, pull, issue, branch, headSha, events } = context;
  const all = [
    ...task,
    'Reply to every new comment below. Reply to a line comment in review_replies, with its id. Use one general_comment ' +
      'for everything else, including line comments without an entry in review_replies. MergeXO rejects ids that are not listed below.',
    'If a comment asks a question, answer it without changing files. If it requests a change, make the change. If a request is wrong, change nothing and give the reason.',
    ...listRulesFor(events),
    'Each reply says what you changed and where, such as src/a.ts:12. Never reply only "Done".',
    'If you find a problem that the feedback does not mention, do not fix it. Name it in a reply as a follow-up.',
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

/** Lists the rules that only some events need. */
function listRulesFor(events: FeedbackContext['events']): string[] {
  const [only, ...others] = events;
  const mayRerun = others.length === 0 && only?.check?.source === 'actions';
  return [
    ...(events.some((event) => listSuggestions(event).length > 0)
      ? ['If you agree with a suggestion, replace exactly the lines that it names with exactly its text.']
      : []),
    ...(events.some(({ check }) => check !== null)
      ? [
          'For a failed check, find the cause in the log, reproduce it if you can, and fix it. Give the cause in general_comment.',
        ]
      : []),
    ...(mayRerun
      ? [
          `If the log proves that this change did not cause the failure, edit no files and set flaky with run_id ${only.id} and a reason that quotes the log. MergeXO reruns the check once.`,
        ]
      : []),
  ];
}

function renderWork({ context, changedFiles, summary, merge, code }: FeedbackInput): Part[] {
  const { pull, issue } = context;
  return [
    ...renderStateSummary(summary),
    // The result of a merge replaces the signals, because it is more specific.
    ...(merge
      ? renderMerge(merge, pull.baseBranch)
      : context.signals.map((signal) => SIGNALS[signal](oneLine(pull.baseBranch)))),
    ...context.cuts.map((cut) => `Omitted to stay within the size limit: ${oneLine(cut)}`),
    ...renderChecks(context.checks),
    quotePost('issue', `PULL REQUEST #${pull.number} ${renderAuthor(pull)}`, pull),
    quotePost('issue', `ISSUE #${issue.number} ${renderAuthor(issue)}`, issue),
    ...renderFiles(changedFiles),
    ...renderIssueComments(context.issueComments),
    ...renderLinks(context),
    ...renderBefore(context),
    ...renderPosts(context),
    `New comments and failed checks since your last answer: ${context.events.length}`,
    ...context.events.flatMap((event) => renderEvent(event, code?.get(event.id))),
  ];
}

const SIGNALS: Record<FeedbackContext['signals'][number], (baseBranch: string) => string> = {
  merge_conflict: (base) =>
    `The branch conflicts with ${base}. Do not merge ${base} and do not rebase. If someone ` +
    `comments /mergexo update, MergeXO merges ${base} for you.`,
  base_moved: (base) =>
    `${base} has new commits that the branch does not contain. Do not merge ${base} and do not rebase.`,
};

/** Renders the agent's own posts, except those that the prompt already shows as earlier comments. */
function renderPosts({ previousActions, reviewComments, conversation }: FeedbackContext): Part[] {
  const posts = previousActions.filter(({ kind, outcome, commentId }) => {
    const shown = kind.endsWith('_reply') ? reviewComments : conversation;
    return outcome !== 'posted' || !shown.some(({ id }) => id === commentId);
  });
  if (posts.length === 0) return [];
  return [
    'Your other earlier posts on this pull request, oldest first:',
    ...posts.map(({ kind, target, summary, outcome }) => ({
      ...quote('history', `YOUR ${describePost(kind, target).toUpperCase()} (${oneLine(outcome)})`, summary),
      max: MAX_POST,
    })),
  ];
}

function describePost(kind: string, target: string | null): string {
  const [, commentId] = /^review:(\d+)$/.exec(target ?? '') ?? [];
  return commentId === undefined ? kind.replaceAll('_', ' ') : `reply to comment ${commentId}`;
}

export function renderChecks(checks: readonly CheckStatus[]): Part[] {
  if (checks.length === 0) return [];
  const lines = checks.map(
    ({ name, status, conclusion }) => `${oneLine(name)}: ${oneLine(conclusion ?? status)}`,
  );
  return [
    'GitHub checks on the head commit:',
    { ...quoteOutput('issue', 'CHECKS', list(lines)), max: MAX_CHECKS_LENGTH },
  ];
}

export function renderFiles(files: readonly string[]): Part[] {
  if (files.length === 0) return [];
  const left = files.length - MAX_FILES;
  const names = files.slice(0, MAX_FILES).map(oneLine);
  return [quoteOutput('issue', 'CHANGED FILES', list([...names, ...(left > 0 ? [`and ${left} more`] : [])]))];
}

/** Renders earlier comments as context for the new comments. */
function renderBefore({ reviewComments, conversation, events }: FeedbackContext): Part[] {
  const isNew = (kind: FeedbackEventContext['kind'], id: number): boolean =>
    events.some((event) => event.kind === kind && event.id === id);
  return [
    ...reviewComments
      .filter(({ id }) => !isNew('review', id))
      .map((comment) => {
        const state = comment.isResolved ? ' (resolved)' : '';
        const thread = `IN THREAD ${comment.inReplyToId ?? comment.id}${state}`;
        return quote(
          'history',
          `EARLIER COMMENT ${comment.id} ${renderAuthor(comment)} ${thread} AT ${renderPlace(comment)}`,
          comment.body,
        );
      }),
    ...conversation
      .filter(({ id }) => !isNew('issue', id))
      .map((comment) =>
        quote('history', `EARLIER COMMENT ${comment.id} ${renderAuthor(comment)}`, comment.body),
      ),
  ];
}
