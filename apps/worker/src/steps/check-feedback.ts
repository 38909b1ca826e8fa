import { explainGaps, Failure, type FeedbackContext, type FeedbackOutput } from '@mergexo/core';
import type { Git } from '@mergexo/git';
import type { Work } from './collect-work.js';
import { findClaimedShas } from './find-claimed-shas.js';
import { hasFrontmatter } from './has-frontmatter.js';
import type { Task } from './task.js';

export type Answer = { output: FeedbackOutput; work: Extract<Work, { kind: 'commit' | 'empty' }> };

type Checks = {
  git: Pick<Git, 'isAncestor' | 'expandSha'>;
  task: Task;
  context: FeedbackContext;
  hadFrontmatter: boolean;
};

/** Everything that is wrong with an answer, in words that an agent can act on. */
export async function checkFeedback(checks: Checks, { output, work }: Answer): Promise<string[]> {
  return [
    ...explainGaps(checks.context.events, toAnswers(output)),
    ...(work.kind === 'empty' && output.commit_message !== null
      ? ['commit_message: no file differs; make the edits, or leave it out and say so']
      : []),
    ...(await explainShas(checks, { output, work })),
    ...(await explainFrontmatter(checks)),
  ];
}

export function toAnswers(output: FeedbackOutput) {
  const { review_replies, general_comment } = output;
  return {
    replies: review_replies.map(({ review_comment_id, body }) => ({ commentId: review_comment_id, body })),
    general: general_comment,
  };
}

async function explainShas(checks: Checks, { output, work }: Answer): Promise<string[]> {
  const { replies, general } = toAnswers(output);
  const texts = [...replies.map(({ body }) => body), general ?? '', output.commit_message ?? ''];
  const complaints: string[] = [];
  for (const word of findClaimedShas(texts)) {
    if (await isOfBranch(checks, work, word)) continue;
    complaints.push(`${word} is no commit of this branch; do not name commits by sha`);
  }
  return complaints;
}

/** Whether the branch, as it will be after this turn, leads to the commit. */
async function isOfBranch({ git, task }: Checks, work: Answer['work'], word: string): Promise<boolean> {
  const made = work.kind === 'commit' ? work.commits : [];
  if ([task.startSha, ...made].some((sha) => sha.startsWith(word))) return true;
  try {
    const sha = await git.expandSha(task.repo, word, task.signal);
    return sha !== undefined && (await git.isAncestor(task.repo, sha, task.startSha, task.signal));
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not-found') return false;
    throw error;
  }
}

async function explainFrontmatter({ task, context, hadFrontmatter }: Checks): Promise<string[]> {
  const path = context.designDocPath;
  if (path === null || !hadFrontmatter || (await readsFrontmatter(task, path))) return [];
  return [
    `${path}: its frontmatter is gone; put the block between the two --- lines, with issue:, back at its top`,
  ];
}

const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;

export async function readsFrontmatter({ slot }: Pick<Task, 'slot'>, path: string): Promise<boolean> {
  const read = await slot.readRegularFile(path, MAX_DOCUMENT_BYTES);
  return read.kind === 'read' && hasFrontmatter(read.content.toString('utf8'));
}
