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

export function renderDesignStart(
  context: StartContext,
  frame: Frame,
  summary: string | null = null,
): string {
  const { issue, designDocPath } = context;
  const task = [
    `Your answer becomes ${oneLine(designDocPath ?? '')}. Do not edit files.`,
    `Its frontmatter is made of your answer: issue (${issue.number}), priority (1 low to 5 high), touch_paths (what the ` +
      'implementation will change), depends_on (numbers of issues that must be done first), estimated_size (S, M or L).',
    "The scope is the issue's acceptance criteria. What they do not ask for is a non-goal.",
    'Give the document the headings "Non-goals" and "Acceptance criteria": the implementation is held to them.',
    `The pull request says ${renderIssueReference('design_doc', issue.number)}: the issue stays open.`,
  ];
  return [
    renderTask(context, 'Write a design document.', task),
    renderSystemBase('design_start', frame),
    renderStateSummary(summary),
    ...renderFollowup(context),
    ...renderIssue(context),
  ].join('\n\n');
}

export function renderBugfixStart(
  context: StartContext,
  frame: Frame,
  summary: string | null = null,
): string {
  const task = [
    'Reproduce it first.',
    'Add a test that failed before and passes now.',
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

export function renderSmallJobStart(
  context: StartContext,
  frame: Frame,
  summary: string | null = null,
): string {
  return [
    renderTask(context, 'Do what the issue asks for, and nothing else.', renderEdits(context)),
    renderSystemBase('small_job_start', frame),
    renderStateSummary(summary),
    ...renderFollowup(context),
    ...renderIssue(context),
  ].join('\n\n');
}

export type ImplementationInput = { handoff: Handoff; base: { branch: string; sha: string } };

export function renderImplementationStart(
  context: StartContext,
  { handoff, base }: ImplementationInput,
  frame: Frame,
  summary: string | null = null,
): string {
  const task = [
    `Design document: ${oneLine(handoff.path)}`,
    `Design merged as: ${handoff.mergeSha}`,
    `Base: ${oneLine(base.branch)}@${base.sha}`,
    `Paths the design names: ${handoff.touchPaths.map(oneLine).join(', ') || 'none'}`,
    'Do what the document says, all of it, and nothing that it calls a non-goal. Add tests.',
    'acceptance: for each acceptance criterion of the document, by its number in order, the files that show that it is met.',
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

/** The starts that need no more than the issue. */
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
    'Edit the files in the working directory; do not commit. What you changed is committed with your commit_message.',
    `The pull request says ${renderIssueReference(flow, issue.number)}: do not repeat it.`,
  ];
}

function renderHandoff({ path, document, decisions, nonGoals, acceptanceCriteria }: Handoff): string[] {
  return [
    ...(decisions.length === 0
      ? []
      : [
          'Accepted decisions of the design review:',
          ...decisions.map(({ about, text }) => fence(about, text)),
        ]),
    ...(nonGoals === null ? [] : ['Out of scope:', fence('NON-GOALS', nonGoals)]),
    ...(acceptanceCriteria === null
      ? []
      : ['The work is done when this holds:', fence('ACCEPTANCE CRITERIA', acceptanceCriteria)]),
    fence(`DESIGN DOCUMENT ${path}`, document),
  ];
}

/** Why the work waited, and what people said since. */
function renderFollowup({ followup }: StartContext): string[] {
  if (followup === null) return [];
  const { waitKind, reason, checkpoint, comments } = followup;
  return [
    [
      'This work began earlier and had to wait. Go on with it.',
      ...(checkpoint === null
        ? []
        : [`What was done so far is the head of the branch, ${checkpoint.sha}. Keep what is good.`]),
    ].join(' '),
    fence('WHY IT WAITED', `${describeWait(waitKind)}.\n\n${reason}`),
    ...(comments.length === 0 ? [] : ['What people said since, oldest first:']),
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
      : [`Left out to stay within size: the first ${left} of ${countOf(comments.length, 'comment')}`]),
    ...shown.map(({ id, author, body }) => fence(`COMMENT ${id} BY ${author}`, body)),
  ];
}
