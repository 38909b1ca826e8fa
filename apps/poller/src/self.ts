import type { GitHub, Viewer } from '@mergexo/github';

/** Who we are on GitHub. */
export type Self = Viewer & {
  /** Every login that ever posted for us: this one, the reviewer's, and those before a change of the token. */
  ids: ReadonlySet<number>;
};

/** The second login, which may approve and reject what the first one opened. */
export type ReviewerVoice = {
  github: GitHub;
  /** GitHub does not let it speak: from now on the first login posts the reviews. */
  setAside(why: Error): void;
};
