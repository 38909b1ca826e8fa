import { renderIssueReference } from '../../flows/run-name.js';
import { describeWait } from '../../outbox/render-posts.js';
import { fence, fencePost, list, oneLine } from '../../prompts/fence.js';
import { renderStateSummary } from '../../prompts/state-summary.js';
import { type Frame, renderSystemBase } from '../../prompts/system-base.js';
import { countOf } from '../../text/count-of.js';
import type { KindOf } from '../turn-kind.js';
import type { Handoff } from './handoff.js';
import type { StartContext } from './start-context.js';

const MAX_COMMENTS = 100;

function renderDesignStart(context: StartContext, frame: Frame, summary: string | null = null): string {
  const { issue, designDocPath } = context;
  const task = [
    `Your answer becomes ${oneLine(designDocPath ?? '')}. Do not edit files.`,
    `MergeXO builds the document's frontmatter from your answer: issue (${issue.number}), priority (1 low to 5 high), touch_paths (paths ` +
      'that the implementation will change), depends_on (numbers of issues that must be implemented first), estimated_size (S, M or L).',
    "The scope is the issue's acceptance criteria. Everything else is a non-goal.",
    'Include the sections "Non-goals" and "Acceptance criteria". The implementation must comply with both.',
    `MergeXO adds "${renderIssueReference('design_doc', issue.number)}" to the pull request, which leaves the issue open. Do not add it yourself.`,
  ];
  return [
    renderTask(context, 'Write a design document.', task),
    renderSystemBase('design_start', frame),
    renderStateSummary(summary),
    ...renderFollowup(context),
    ...renderIssue(context),
  ].join('\n\n');
}

function renderBugfixStart(context: StartContext, frame: Frame, summary: string | null = null): string {
  const task = [
    'Reproduce the bug first.',
    'Add a test that fails without your fix and passes with it.',
    ...renderEdits(context),
  ];
  return [
    renderTask(context, 'Fix the bug.', task),
    renderSystemBase('bugfix_start', frame),
    renderStateSummary(summary),
    ...renderFollowup(context),
    ...renderIssue(context),
  ].join('\n\n');
}

function renderSmallJobStart(context: StartContext, frame: Frame, summary: string | null = null): string {
  return [
    renderTask(context, 'Do what the issue asks for, and nothing else.', renderEdits(context)),
    renderSystemBase('small_job_start', frame),
    renderStateSummary(summary),
    ...renderFollowup(context),
    ...renderIssue(context),
  ].join('\n\n');
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
): string {
  const task = [
    `Design document: ${oneLine(handoff.path)}`,
    `Merge commit of the design: ${handoff.mergeSha}`,
    `Base commit: ${oneLine(base.branch)}@${base.sha}`,
    `Paths named in the design: ${handoff.touchPaths.map(oneLine).join(', ') || 'none'}`,
    'Implement everything in the document except its non-goals. Add tests.',
    "acceptance: list the document's acceptance criteria in order. For each one, give its number and the files that show that it is met.",
    ...renderEdits(context),
  ];
  return [
    renderTask(context, 'Implement the merged design document.', task),
    renderSystemBase('implementation_start', frame),
    renderStateSummary(summary),
    ...renderFollowup(context),
    ...renderHandoff(handoff),
    ...renderIssue(context),
  ].join('\n\n');
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
    `MergeXO adds "${renderIssueReference(flow, issue.number)}" to the pull request; do not add it yourself.`,
  ];
}

function renderHandoff({ path, document, decisions, nonGoals, acceptanceCriteria }: Handoff): string[] {
  return [
    ...(decisions.length === 0
      ? []
      : ['Decisions from the design review:', ...decisions.map(({ about, text }) => fence(about, text))]),
    ...(nonGoals === null ? [] : ['Out of scope:', fence('NON-GOALS', nonGoals)]),
    ...(acceptanceCriteria === null
      ? []
      : ['The work is done when these criteria are met:', fence('ACCEPTANCE CRITERIA', acceptanceCriteria)]),
    fence(`DESIGN DOCUMENT ${path}`, document),
  ];
}

/** Explains why the work waited, and adds the comments since then. */
function renderFollowup({ followup }: StartContext): string[] {
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
    fence('REASON FOR THE WAIT', `${describeWait(waitKind)}.\n\n${reason}`),
    ...(comments.length === 0 ? [] : ['Comments since then, oldest first:']),
    ...comments.map(({ id, author, createdAt, url, body }) =>
      fence(`NEW COMMENT ${id} BY ${author} AT ${createdAt} (${oneLine(url)})`, body),
    ),
  ];
}

function renderIssue({ issue, comments: all, followup }: StartContext): string[] {
  const fresh = new Set(followup?.comments.map(({ id }) => id));
  const comments = all.filter(({ id }) => !fresh.has(id));
  const shown = comments.slice(-MAX_COMMENTS);
  const left = comments.length - shown.length;
  return [
    fencePost(`ISSUE #${issue.number} BY ${issue.author}`, issue),
    ...(left === 0
      ? []
      : [
          `Omitted to stay within the size limit: the first ${left} of ${countOf(comments.length, 'comment')}`,
        ]),
    ...shown.map(({ id, author, body }) => fence(`COMMENT ${id} BY ${author}`, body)),
  ];
}
