import type { FeedbackContext, FeedbackEventContext } from '../feedback/feedback-context.js';
import { fence, NO_REWRITE, oneLine, renderAttempt, UNTRUSTED } from './rules.js';

/** The instruction of a feedback turn. A context without a thread starts a new conversation, which is told what was before. */
export function renderFeedbackPrompt(context: FeedbackContext, turnKey: string, attempt: number): string {
  const { pull, issue, branch, headSha } = context;
  return [
    `You work on the repository ${context.repo}, pull request #${pull.number} for issue #${issue.number}. Its branch ` +
      `${branch} is checked out in the working directory at ${headSha}.`,
    renderTask(context),
    `${NO_REWRITE} Only add commits. If a rewrite seems needed, ask for guidance in general_comment and give no commit_message.`,
    UNTRUSTED,
    ...renderAttempt(attempt),
    COVERAGE,
    COMMITS,
    'Do not call GitHub. Answer with one JSON object that fits the output schema. If you cannot go on without a person, ' +
      'give blocked_reason, with a question that a person can answer. state_summary is what you will need to know next time.',
    `Turn: ${turnKey}`,
    ...context.signals.map((signal) => SIGNALS[signal](pull.baseBranch)),
    ...context.cuts.map((cut) => `Left out to stay within size: ${oneLine(cut)}`),
    ...renderEarlier(context),
    fence(`PULL REQUEST #${pull.number}`, `${pull.title}\n\n${pull.body}`),
    fence(`ISSUE #${issue.number}`, `${issue.title}\n\n${issue.body}`),
    ...renderBefore(context),
    `New since your last answer: ${context.events.length}`,
    ...context.events.map(renderEvent),
  ].join('\n\n');
}

function renderTask({ flow, designDocPath }: FeedbackContext): string {
  if (flow !== 'design_doc') {
    return 'People commented on the pull request. Do what they ask for where it is right, and answer each of them.';
  }
  return (
    `People commented on the design document ${designDocPath}. Revise it where they are right, and answer each of them. ` +
    'Keep its frontmatter, the block between the two --- lines at its top.'
  );
}

const COVERAGE =
  'Every new comment below must be answered. Answer a comment on lines with a reply in review_replies, by its id; ' +
  'everything else, and all comments on lines that have no reply, in one general_comment. Ids that are not below are refused.';

const COMMITS =
  'Edit the files in the working directory and give a commit_message; the commit is made after your answer. Without edits ' +
  'leave commit_message out. Do not claim commits by sha: the sha of your work is not known yet.';

const SIGNALS: Record<FeedbackContext['signals'][number], (baseBranch: string) => string> = {
  merge_conflict: (base) =>
    `The branch conflicts with ${base}. Resolve it with a merge commit (git merge origin/${base}), never with a rebase.`,
  base_moved: (base) =>
    `${base} has moved since the branch was made. Merge origin/${base} only if the work needs it.`,
};

function renderEarlier({ session, stateSummary, previousActions }: FeedbackContext): string[] {
  const done = previousActions.map(
    ({ kind, target, summary, outcome }) =>
      `- ${kind}${target === null ? '' : ` (${target})`}: ${oneLine(summary)} [${outcome}]`,
  );
  return [
    ...(session.threadId === null && stateSummary.trim() !== ''
      ? [
          'This is a new conversation. What you noted at the end of the last one:',
          fence('STATE SUMMARY', stateSummary),
        ]
      : []),
    ...(done.length === 0
      ? []
      : [
          'What was posted for you before, with what became of it:',
          fence('PREVIOUS ACTIONS', done.join('\n')),
        ]),
  ];
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

function renderEvent(event: FeedbackEventContext): string {
  const { kind, id, rootId, author, path, line, reviewState, body } = event;
  return fence(
    [
      `${NAMES[kind]} ${id} BY ${author}`,
      ...(path === null ? [] : [`AT ${renderPlace({ path, line })}`]),
      ...(event.side === 'LEFT' ? ['(a line of the base)'] : []),
      ...(rootId === null || rootId === id ? [] : [`IN THE THREAD OF ${rootId}`]),
      ...(reviewState === null ? [] : [`(${reviewState.replaceAll('_', ' ')})`]),
    ].join(' '),
    body,
  );
}

function renderPlace({ path, line }: { path: string; line: number | null }): string {
  return line === null ? path : `${path}:${line}`;
}
