import type { PullReceipt, SigningKeys } from '@mergexo/core/outbox';
import type { Redact } from '@mergexo/core/text';
import type { FeedbackContext, Plan, StartContext, Turn } from '@mergexo/core/turns';
import type { GitHub, PullRequest } from '@mergexo/github';
import type { FollowupState, Pull, Run } from '@mergexo/state';
import type { FrozenReview } from '../../lifecycle/review/read-review.js';
import type { Repo, ReviewerLogin, Self } from '../../tools.js';

/** The data from which MergeXO renders a post. The plan is frozen, so each rendering is identical. */
export type PostContext = {
  repo: Repo;
  /** Undefined for a notice, which belongs to no turn. */
  turn: Turn | undefined;
  /** Undefined for a notice that belongs to no run. */
  run: Run | undefined;
  plan: Plan | null;
  pull: Pull | undefined;
  /** Set only for a feedback turn. */
  feedback: FeedbackContext | undefined;
  /** URL of the turn's general comment; null if that comment was not posted. */
  generalUrl: string | null;
  /** Set only for a start turn. */
  start: StartContext | undefined;
  /** Set only for a run that waits for a reply on the issue. */
  followup: FollowupState | undefined;
  /** Set only for a review turn with a frozen plan. */
  review: FrozenReview | undefined;
  /** Set only for a pull request whose body shows the cost. */
  receipt: PullReceipt | undefined;
};

export type Found =
  | { kind: 'ours'; remoteId: number; opened?: PullRequest }
  | { kind: 'foreign'; url: string }
  | { kind: 'absent' };

export const explainForeign = ({ url }: { url: string }): string =>
  `another pull request uses the branch: ${url}`;

/** Sends one action, and recognizes it on GitHub afterwards. */
export type Post = {
  /** Searches GitHub for the post. Throws if GitHub did not return the complete list. */
  find(): Promise<Found>;
  send(): Promise<{ remoteId: number; opened?: PullRequest }>;
  /** The token at the end of the text, for the log; empty for an action without a signed text. */
  token: string;
};

export type PostTools = {
  github: GitHub;
  keys: SigningKeys;
  viewer: Self;
  /** Undefined if the reviewer's login is missing, rejected or not yet confirmed. */
  reviewer: () => ReviewerLogin | undefined;
  redact: Redact;
  /** True if MergeXO runs as a GitHub App, which can create check runs. */
  postsChecks?: boolean;
};
