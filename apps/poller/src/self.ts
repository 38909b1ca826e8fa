import type { Failure } from '@mergexo/core';
import type { GitHub, Viewer } from '@mergexo/github';

/** Who we are on GitHub. */
export type Self = Viewer & {
  /** Every login that ever posted for us: this one, the reviewer's, and those before a change of the token. */
  ids: ReadonlySet<number>;
};

/** The second login, which may approve and reject what the first one opened. */
export type ReviewerVoice = {
  github: GitHub;
  /** GitHub did not let it speak. With a token that is refused, the first login posts all reviews from now on. */
  note(refusal: Failure): void;
};
