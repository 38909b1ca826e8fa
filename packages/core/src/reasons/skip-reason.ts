import { z } from 'zod';
import { keysOf } from '../basics/keys-of.js';
import { REVIEW_STATES } from '../feedback/remark.js';

/** Reasons that need no further data, with their text. */
const PLAIN = {
  ours: "it is MergeXO's own comment",
  copy_of_ours: "it is a copy of MergeXO's own comment",
  empty: 'the text is empty',
  review_dismissed: 'the review was dismissed',
  command: 'the comment is a command',
  taken_over: 'a person had taken over',
  edited: 'the comment was edited before MergeXO answered it',
  deleted: 'the comment was deleted before MergeXO answered it',
  /** If the check fails again, MergeXO handles the failure as a new event. */
  check_passed: 'the check no longer fails',
  older_commit: 'the check ran on an earlier commit',
  consumed: 'an earlier turn already used the comment',
  obeyed: 'MergeXO already ran the command',
  redirected: 'MergeXO already redirected the comment',
  redirect_refused: 'GitHub refused the redirect',
  no_open_work: 'this issue has no open work',
  issue_gone: 'the issue no longer exists',
  retired: 'an operator retired the repository',
} as const;

/** Why MergeXO ignores an account. */
export type Distrust = { code: 'bot' | 'not_allowed'; login: string };

/**
 * Why MergeXO does not answer a comment, a review or a failed check. Stored as data; only `renderSkipReason` turns it
 * into text.
 */
export const SkipReason = z.discriminatedUnion('code', [
  z.strictObject({ code: z.enum(keysOf(PLAIN)) }),
  z.strictObject({ code: z.enum(['bot', 'not_allowed']), login: z.string() }),
  z.strictObject({ code: z.literal('review_without_text'), state: z.enum(REVIEW_STATES).nullable() }),
  z.strictObject({ code: z.literal('pull_ended'), status: z.enum(['merged', 'closed']) }),
  /** The pull request of the issue was closed. Reopening the pull request revives the comment. */
  z.strictObject({ code: z.literal('issue_pull_closed'), prNumber: z.int() }),
  /** A reason that an earlier version of MergeXO stored as text, without a code. */
  z.strictObject({ code: z.literal('legacy'), text: z.string() }),
]);
export type SkipReason = z.infer<typeof SkipReason>;

export function renderSkipReason(reason: SkipReason): string {
  switch (reason.code) {
    case 'bot':
      return `${reason.login} is a bot`;
    case 'not_allowed':
      return `${reason.login} is not in allowed_users`;
    case 'review_without_text':
      return `the review (${reason.state?.replaceAll('_', ' ') ?? 'no verdict'}) has no text`;
    case 'pull_ended':
      return `the pull request was ${reason.status}`;
    case 'issue_pull_closed':
      return `pull request #${reason.prNumber} was closed`;
    case 'legacy':
      return reason.text;
    default:
      return PLAIN[reason.code];
  }
}
