import { type Flow, renderIssueReference } from './flow.js';
import { neutraliseText } from './neutralise.js';
import type { WaitKind } from './plan.js';

/** The body of a pull request: the agent's summary, and our own reference to the issue, which it cannot change. */
export function renderPullBody(pull: {
  flow: Flow;
  issueNumber: number;
  summary: string;
  designDocPath: string | null;
}): string {
  const { flow, issueNumber, summary, designDocPath } = pull;
  return [
    neutraliseText(summary),
    ...(designDocPath === null ? [] : [`Design document: \`${designDocPath}\``]),
    renderIssueReference(flow, issueNumber),
    '_Comment on this pull request, on lines or below: every comment is answered here._',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const PURPOSES: Record<Flow, string> = {
  design_doc: 'a design document',
  bugfix: 'a fix',
  small_job: 'the change',
  implementation: 'the implementation',
};

export function renderStatusComment(pull: { flow: Flow; number: number; url: string }): string {
  return (
    `Pull request #${pull.number} proposes ${PURPOSES[pull.flow]} for this issue: ${pull.url}\n\n` +
    'Please comment there; comments on this issue are no longer acted on.'
  );
}

export function renderParkNotice(reason: string): string {
  return `**The work on this waits: a limit is reached.** ${reason}.\n\nIt goes on when an operator raises the limit, or when there is room again.`;
}

export function renderBlockNotice(reason: string): string {
  return [
    '**MergeXO stopped working on this and needs a person.**',
    neutraliseText(reason),
    'Once the cause is mended, an operator can start it again.',
  ].join('\n\n');
}

const WAITS: Record<WaitKind, string> = {
  agent_blocked: 'The agent cannot go on by itself',
  tests_failed: 'The required tests fail, and the agent could not mend that',
  tests_missing: 'The fix comes without a test, which this repository asks for',
  no_changes: 'The agent changed nothing',
  history_rewritten: 'The agent rewrote history, so its work was not taken',
};

export function renderWaitComment(wait: {
  waitKind: WaitKind;
  reason: string;
  checkpoint: { branch: string; sha: string } | null;
}): string {
  const { waitKind, reason, checkpoint } = wait;
  return [
    `**${WAITS[waitKind]}.**`,
    neutraliseText(reason),
    ...(checkpoint === null
      ? []
      : [`What was done so far is on \`${checkpoint.branch}\`, commit ${checkpoint.sha}.`]),
    'Reply on this issue to resume the work.',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
