import type { StartContext } from '../start-context.js';
import { fence, NO_REWRITE, oneLine, renderAttempt, UNTRUSTED } from './rules.js';

/** The instruction of a start turn. The task's texts come separately, as data, in the turn package. */
export function renderStartPrompt(context: StartContext, turnKey: string, attempt: number): string {
  return [
    `You work on the repository ${context.repo}, issue #${context.issue.number}: ${oneLine(context.issue.title)}`,
    TASKS[context.flow](context),
    `${NO_REWRITE} If a rewrite seems needed, say so instead.`,
    UNTRUSTED,
    ...renderAttempt(attempt),
    'Do not call GitHub. Answer with one JSON object that fits the output schema. If you cannot go on without a person, ' +
      'answer {"blocked_reason": "…"} with a question that a person can answer.',
    `Turn: ${turnKey}`,
    fence('ISSUE', context.issue.body),
    ...context.comments.map((comment) => fence(`COMMENT BY ${comment.author}`, comment.body)),
  ].join('\n\n');
}

const TASKS: Record<StartContext['flow'], (context: StartContext) => string> = {
  design_doc: ({ designDocPath }) =>
    `Write a design document. Do not edit files: answer with its text, and it is written to ${designDocPath}. Its scope is ` +
    'what the issue asks for. Name the paths that the implementation will touch, a priority from 1 (low) to 5 (high), the ' +
    'issues that it depends on, and its size (S, M or L).',
  bugfix: () =>
    'Fix the bug. Reproduce it first; add a test that failed before and passes now. Edit the files in the working ' +
    'directory; do not commit.',
  small_job: () =>
    'Do what the issue asks for, and nothing else. Edit the files in the working directory; do not commit.',
  implementation: ({ designDocPath }) =>
    `Implement the merged design document ${designDocPath}. Edit the files in the working directory; do not commit.`,
};

/** Sent back to the agent when the repository's required tests fail on its work. */
export function renderTestsComplaint(output: string): string {
  return [
    'The required tests of the repository fail on your work. It is still in the working directory: mend it, and answer ' +
      'again with the whole JSON object.',
    fence('TEST OUTPUT', output),
  ].join('\n\n');
}
