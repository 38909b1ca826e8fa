import type { SigningKeys } from '@mergexo/core/outbox';
import type { Redact } from '@mergexo/core/text';
import type { FeedbackContext, Plan, StartContext, Turn } from '@mergexo/core/turns';
import type { GitHub, PullRequest } from '@mergexo/github';
import type { FollowupState, Pull, Run } from '@mergexo/state';
import type { FrozenReview } from '../../lifecycle/review/read-review.js';
import type { Repo, ReviewerLogin, Self } from '../../tools.js';

/** Everything that an action's words are made of. The plan is frozen, so the words are the same every time. */
export type PostContext = {
  repo: Repo;
  /** Undefined for what belongs to no turn. */
  turn: Turn | undefined;
  /** Undefined for a notice on a pull request of nobody's run. */
  run: Run | undefined;
  plan: Plan | null;
  pull: Pull | undefined;
  /** What a feedback turn answers. */
  feedback: FeedbackContext | undefined;
  /** The page of the turn's general comment; null where it was not posted. */
  generalUrl: string | null;
  /** What a start is about. */
  start: StartContext | undefined;
  /** What a run without a pull request waits for. */
  followup: FollowupState | undefined;
  /** What a review found. */
  review: FrozenReview | undefined;
};

export type Found =
  | { kind: 'ours'; remoteId: number; opened?: PullRequest }
  | { kind: 'foreign'; url: string }
  | { kind: 'absent' };

/** How one action is sent, and how it is recognised on GitHub afterwards. */
export type Post = {
  /** A complete look: throws rather than answer from half a list. */
  find(): Promise<Found>;
  send(): Promise<{ remoteId: number; opened?: PullRequest }>;
  /** The token that closes the words, for the log. */
  token: string;
};

export type PostTools = {
  github: GitHub;
  keys: SigningKeys;
  viewer: Self;
  /** Undefined where one login does everything. */
  reviewer: () => ReviewerLogin | undefined;
  redact: Redact;
};
