import type { RepoConfig } from '@mergexo/config';
import type { Failure, Log } from '@mergexo/core/basics';
import type { Redact } from '@mergexo/core/text';
import type { GitHub, Viewer } from '@mergexo/github';
import type { State } from '@mergexo/state';

/** What every change of the state needs. */
export type Records = { state: State; now: () => number; log: Log };

/** A configured repository that GitHub has shown us: from here on its numeric id names it. */
export type Repo = { id: number; config: RepoConfig };

/** Who we are on GitHub. */
export type Self = Viewer & {
  /** Every login that ever posted for us: this one, the reviewer's, and those before a change of the token. */
  ids: ReadonlySet<number>;
};

/** The second login, which may approve and reject pull requests that the first one opened. */
export type ReviewerLogin = {
  github: GitHub;
  /** GitHub refused a review by this login. If GitHub rejects its token, the first login posts all reviews from now on. */
  note(refusal: Failure): void;
};

export type Connected = { viewer: Self; repos: readonly Repo[] };

export type GitHubLink = {
  github: GitHub;
  /** Undefined until GitHub has shown our login and the repositories. */
  connected(): Connected | undefined;
  connect(): Promise<Connected | undefined>;
  /** Reports a missing login without a request to GitHub; `gh` may take seconds to answer. */
  checkLogin(): Promise<void>;
  /** Undefined without a second login, or if GitHub rejects it. */
  reviewer(): ReviewerLogin | undefined;
  /** Removes our credentials, the token included, from a text before it is posted. */
  redact: Redact;
};
