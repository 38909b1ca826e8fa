import { renderIssueReference } from '../../flows/run-name.js';
import { describeWait } from '../../outbox/render-posts.js';
import { renderRegression } from '../../prompts/checking.js';
import { list, oneLine } from '../../prompts/fence.js';
import { type Part, quote, quotePost } from '../../prompts/part.js';
import { renderAuthor, renderLinks } from '../../prompts/render-threads.js';
import { renderStateSummary } from '../../prompts/state-summary.js';
import { type Frame, renderSystemBase } from '../../prompts/system-base.js';
import type { KindOf } from '../turn-kind.js';
import type { Handoff } from './handoff.js';
import type { StartContext } from './start-context.js';

function renderDesignStart(context: StartContext, frame: Frame, summary: string | null = null): Part[] {
  const { issue, designDocPath } = context;
  const task = [
    `Your answer becomes ${oneLine(designDocPath ?? '')}. Do not edit files.`,
    `MergeXO builds the document's frontmatter from your answer: issue (${issue.number}), priority (1 low to 5 high), touch_paths (paths ` +
      'that the implementation will change), depends_on (numbers of issues that must be implemented first), estimated_size (S, M or L).',
    "The scope is the issue's acceptance criteria. If it has none, derive them from its text. Everything else is a non-goal.",
    'Include the sections "Non-goals" and "Acceptance criteria". The implementation must respect both.',
    'Describe the alternatives, your decision and its reason, the risks, and a test plan. Cite the code that you rely on as path:line.',
    `MergeXO adds "${renderIssueReference('design_doc', issue.number)}" to the pull request, which leaves the issue open. Do not add it yourself.`,
  ];
  return [
    renderTask(context, 'Write a design document.', task),
    ...renderSystemBase('design_start', frame),
    ...renderStateSummary(summary),
    ...renderFollowup(context),
    ...renderIssue(context),
  ];
}

function renderBugfixStart(context: StartContext, frame: Frame, summary: string | null = null): Part[] {
  const task = [
    ...renderRegression(frame.checking),
    'pr_summary: give the cause, how you reproduced the bug and how you verified the fix. Say so if you could not run something.',
    ...renderEdits(context),
  ];
  return [
    renderTask(context, 'Fix the bug.', task),
    ...renderSystemBase('bugfix_start', frame),
    ...renderStateSummary(summary),
    ...renderFollowup(context),
    ...renderIssue(context),
  ];
}

function renderSmallJobStart(context: StartContext, frame: Frame, summary: string | null = null): Part[] {
  return [
    renderTask(context, 'Do what the issue asks for, and nothing else.', renderEdits(context)),
    ...renderSystemBase('small_job_start', frame),
    ...renderStateSummary(summary),
    ...renderFollowup(context),
    ...renderIssue(context),
  ];
}

export type ImplementationInput = {
  handoff: Handoff;
  base: { branch: string; sha: string };
  frame: Frame;
  summary: string | null;
};

export function renderImplementationStart(
  context: StartContext,
  { handoff, base, frame, summary }: ImplementationInput,
): Part[] {
  const task = [
    `Design document: ${oneLine(handoff.path)}`,
    `Merge commit of the design: ${handoff.mergeSha}`,
    `Base commit: ${oneLine(base.branch)}@${base.sha}`,
    'Implement everything in the document except its non-goals. Add tests.',
    'Before you answer, read the document again. Name every deviation from it in pr_summary, with the reason.',
    "acceptance: list the document's acceptance criteria in order. For each one, give its number and the files that show that it is met.",
    ...renderEdits(context),
  ];
  return [
    renderTask(context, 'Implement the merged design document.', task),
    ...renderSystemBase('implementation_start', frame),
    ...renderStateSummary(summary),
    ...renderFollowup(context),
    ...renderHandoff(handoff),
    ...renderIssue(context),
  ];
}

/** The prompts of starts that need only the issue. */
export const START_PROMPTS = {
  design_start: renderDesignStart,
  bugfix_start: renderBugfixStart,
  small_job_start: renderSmallJobStart,
} as const satisfies Record<Exclude<KindOf<'start'>, 'implementation_start'>, unknown>;

function renderTask({ repo, issue }: StartContext, order: string, task: readonly string[]): string {
  return [`Repository ${repo}, issue #${issue.number}.`, `${order}\n${list(task)}`].join('\n\n');
}

function renderEdits({ flow, issue }: StartContext): string[] {
  return [
    'Edit the files in the working directory; do not commit. MergeXO commits your changes with your commit_message.',
    'Before you answer, read your whole diff again and remove every change that the task does not need.',
    'If you find a problem outside the task, do not fix it. Mention it in pr_summary as a follow-up.',
    `MergeXO adds "${renderIssueReference(flow, issue.number)}" to the pull request; do not add it yourself.`,
  ];
}

function renderHandoff(handoff: Handoff): Part[] {
  const { path, document, decisions, nonGoals, acceptanceCriteria, touchPaths } = handoff;
  return [
    // The author of the document chose these paths, and a path can contain any sentence.
    ...(touchPaths.length === 0
      ? []
      : [quote('task', 'PATHS NAMED IN THE DESIGN', touchPaths.map(oneLine).join('\n'))]),
    ...(decisions.length === 0
      ? []
      : [
          'Decisions from the design review:',
          ...decisions.map(({ about, text }) => quote('history', about, text)),
        ]),
    ...(nonGoals === null ? [] : ['Out of scope:', quote('task', 'NON-GOALS', nonGoals)]),
    ...(acceptanceCriteria === null
      ? []
      : [
          'The work is done when these criteria are met:',
          quote('task', 'ACCEPTANCE CRITERIA', acceptanceCriteria),
        ]),
    quote('task', `DESIGN DOCUMENT ${path}`, document),
  ];
}

/** Explains why the work waited, and adds the comments since then. */
function renderFollowup({ followup }: StartContext): Part[] {
  if (followup === null) return [];
  const { waitKind, reason, checkpoint, comments } = followup;
  return [
    [
      'You started this work earlier and had to stop. Continue it.',
      ...(checkpoint === null
        ? []
        : [
            `The head commit of the branch, ${checkpoint.sha}, contains the work so far. Keep the parts that are correct.`,
          ]),
    ].join(' '),
    quote('event', 'REASON FOR THE WAIT', `${describeWait(waitKind)}.\n\n${reason}`),
    ...(comments.length === 0 ? [] : ['Comments since then, oldest first:']),
    ...comments.map((comment) =>
      quote(
        'event',
        `NEW COMMENT ${comment.id} ${renderAuthor(comment)} (${oneLine(comment.url)})`,
        comment.body,
      ),
    ),
  ];
}

function renderIssue({ issue, comments, followup, ...links }: StartContext): Part[] {
  const fresh = new Set(followup?.comments.map(({ id }) => id));
  return [
    quotePost('issue', `ISSUE #${issue.number} ${renderAuthor(issue)}`, issue),
    ...comments
      .filter(({ id }) => !fresh.has(id))
      .map((comment) => quote('history', `COMMENT ${comment.id} ${renderAuthor(comment)}`, comment.body)),
    ...renderLinks(links),
  ];
}
