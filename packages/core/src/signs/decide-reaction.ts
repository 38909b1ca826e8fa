import type { RunStatus } from '../runs/run.js';
import type { WantedReaction } from './reaction.js';

/** The facts about an issue that decide its reaction. */
export type IssueSignFacts = {
  status: RunStatus;
  /** True if a pull request was opened for the run. */
  hasPull: boolean;
  isTakenOver: boolean;
};

/** Decides the reaction to an issue: 👀 while MergeXO works, 🚀 with a pull request, 😕 while a person must act. */
export function decideIssueReaction({ status, hasPull, isTakenOver }: IssueSignFacts): WantedReaction {
  if (isTakenOver) return 'keep';
  switch (status) {
    case 'ready':
    case 'running':
      return 'eyes';
    case 'blocked':
    case 'awaiting_issue_followup':
      return 'confused';
    case 'awaiting_feedback':
    case 'merged':
      return 'rocket';
    case 'closed':
    case 'failed':
      return hasPull ? 'rocket' : null;
  }
}

/** The facts about a comment that decide its reaction. */
export type CommentSignFacts = {
  isSkipped: boolean;
  isProcessed: boolean;
  /** True if a turn answered the comment, or if the comment started a run. A redirect is no answer. */
  isAnswered: boolean;
  /** True if MergeXO only redirects the comment to a pull request. */
  isRedirected: boolean;
  isBlocked: boolean;
  isTakenOver: boolean;
};

/** Decides the reaction to a comment: 👀 once MergeXO has read it, 🚀 once it is answered, 😕 while work is blocked. */
export function decideCommentReaction(facts: CommentSignFacts): WantedReaction {
  if (facts.isSkipped) return null;
  if (facts.isProcessed) return facts.isAnswered ? 'rocket' : null;
  if (facts.isRedirected) return null;
  if (facts.isTakenOver) return 'keep';
  return facts.isBlocked ? 'confused' : 'eyes';
}
