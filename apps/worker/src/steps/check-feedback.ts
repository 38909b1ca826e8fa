import {
  explainEmptyReplies,
  explainGaps,
  type FeedbackContext,
  type FeedbackOutput,
} from '@mergexo/core/turns';
import type { Git } from '@mergexo/git';
import { explainShas } from './check/explain-shas.js';
import type { Merged, Work } from './collect-work.js';
import { hasFrontmatter } from './has-frontmatter.js';
import type { Task } from './task.js';

export type Answer = {
  output: FeedbackOutput;
  work: Extract<Work, { kind: 'commit' | 'empty' | 'faulty' }>;
};

type Checks = {
  git: Pick<Git, 'isAncestor' | 'expandSha'>;
  task: Task;
  context: FeedbackContext;
  hadFrontmatter: boolean;
  merged: Merged | null;
  /** False after the repair, because a nearly empty answer is better than a blocked pull request. */
  mayAskAgain: boolean;
};

/** Returns all complaints about an answer, worded so that the agent can fix them. */
export async function checkFeedback(checks: Checks, { output, work }: Answer): Promise<string[]> {
  return [
    ...(work.kind === 'faulty' ? work.complaints : []),
    ...explainGaps(checks.context.events, toAnswers(output)),
    ...(checks.mayAskAgain ? explainEmptyReplies(toAnswers(output)) : []),
    ...(work.kind === 'empty' && output.commit_message !== null
      ? [
          'commit_message: no file differs; make the edits, or set commit_message to null and explain why in the reply',
        ]
      : []),
    ...explainFlaky(checks.context, output),
    ...(await explainShas(checks, work, listTexts(output))),
    ...(await explainFrontmatter(checks)),
  ];
}

/** Accepts a flaky claim only in a turn about one failed workflow run and without a commit. */
function explainFlaky({ events }: FeedbackContext, { flaky, commit_message }: FeedbackOutput): string[] {
  if (flaky === null) return [];
  const [only, ...more] = events;
  const isAlone = more.length === 0 && only?.check?.source === 'actions' && commit_message === null;
  if (!isAlone)
    return ['flaky: allowed only in a turn about exactly one failed workflow run, without a commit_message'];
  return only.id === flaky.run_id ? [] : [`flaky: the failed run is ${only.id}, not ${flaky.run_id}`];
}

export function toAnswers(output: FeedbackOutput) {
  const { review_replies, general_comment } = output;
  return {
    replies: review_replies.map(({ review_comment_id, body }) => ({ commentId: review_comment_id, body })),
    general: general_comment,
  };
}

function listTexts(output: FeedbackOutput): string[] {
  const { replies, general } = toAnswers(output);
  return [...replies.map(({ body }) => body), general ?? '', output.commit_message ?? ''];
}

async function explainFrontmatter({ task, context, hadFrontmatter }: Checks): Promise<string[]> {
  const path = context.designDocPath;
  if (path === null || !hadFrontmatter || (await readsFrontmatter(task, path))) return [];
  return [
    `${path}: its frontmatter is missing; restore the block between the two --- lines, with issue:, at the top`,
  ];
}

const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;

export async function readsFrontmatter({ slot }: Pick<Task, 'slot'>, path: string): Promise<boolean> {
  const read = await slot.readRegularFile(path, MAX_DOCUMENT_BYTES);
  return read.kind === 'read' && hasFrontmatter(read.content.toString('utf8'));
}
