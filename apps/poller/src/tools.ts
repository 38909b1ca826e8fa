import type { RepoConfig } from '@mergexo/config';
import type { Failure, Log } from '@mergexo/core/basics';
import type { Redact } from '@mergexo/core/text';
import type { AppLogin, GitHub, Viewer } from '@mergexo/github';
import type { State } from '@mergexo/state';

/** Tools that every state change needs. */
export type Records = { state: State; now: () => number; log: Log };

export type Recent = {
  /** Maximum age of the GitHub response on which MergeXO opens or begins a turn. */
  recentMs: number;
};

/** A configured repository with its numeric id on GitHub. */
export type Repo = { id: number; config: RepoConfig };

/** MergeXO's account on GitHub. */
export type Self = Viewer & {
  /** Account ids of all logins that ever posted for MergeXO: the current one, the reviewer's and earlier ones. */
  ids: ReadonlySet<number>;
};

/** The reviewer's login, which may approve and reject pull requests that the first login opened. */
export type ReviewerLogin = {
  github: GitHub;
  /** Call this if GitHub refused a review. After a rejected token, the first login posts all later reviews. */
  note(refusal: Failure): void;
};

export type Connected = { viewer: Self; repos: readonly Repo[] };

export type GitHubLink = {
  github: GitHub;
  /** Undefined until GitHub has confirmed our login. */
  connected(): Connected | undefined;
  connect(): Promise<Connected | undefined>;
  /** Reports a missing login without a request to GitHub. May take seconds if `gh` is slow. */
  checkLogin(): Promise<void>;
  /** Undefined if the reviewer's login is missing, rejected or not yet confirmed. */
  reviewer(): ReviewerLogin | undefined;
  /** Set if MergeXO runs as a GitHub App. */
  app: AppLogin | undefined;
  /** Removes our credentials, including the token, from a text before it is posted. */
  redact: Redact;
};
