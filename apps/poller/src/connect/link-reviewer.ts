import { Failure, type Log } from '@mergexo/core/basics';
import { type GitHub, statusOf } from '@mergexo/github';
import type { ReviewerLogin } from '../tools.js';

export type ReviewerLink = {
  /**
   * The account's id, if it is another than the one that opens the pull requests. Throws while GitHub does not tell:
   * before we know all our logins, nothing is read, or we would answer ourselves.
   */
  connect(authorId: number): Promise<number | undefined>;
  voice(): ReviewerLogin | undefined;
};

/** Whether there is a second login is decided before anything is posted with it, and people are told once why there is none. */
export function linkReviewer(github: GitHub | undefined, log: Log): ReviewerLink {
  let known: { id: number } | 'set-aside' | undefined = github === undefined ? 'set-aside' : undefined;
  const setAside = (why: string, err?: Error): void => {
    known = 'set-aside';
    log.warn(
      { err },
      `${why}; reviews are posted as comments by the first login until the poller starts again`,
    );
  };
  const note = (refusal: Failure): void => {
    if (statusOf(refusal) === 401) setAside('GitHub refuses MERGEXO_REVIEWER_TOKEN', refusal);
    else log.warn({ err: refusal }, 'a review is posted as a comment by the first login');
  };
  return {
    async connect(authorId) {
      if (github === undefined || known === 'set-aside') return undefined;
      if (known !== undefined) return known.id;
      try {
        const { id } = await github.fetchViewer();
        if (id === authorId) {
          setAside('MERGEXO_REVIEWER_TOKEN belongs to the login that opens the pull requests');
          return undefined;
        }
        known = { id };
        return id;
      } catch (error) {
        if (!(error instanceof Failure) || error.kind !== 'unauthorized') throw error;
        setAside('GitHub refuses MERGEXO_REVIEWER_TOKEN', error);
        return undefined;
      }
    },
    voice: () =>
      github === undefined || known === undefined || known === 'set-aside' ? undefined : { github, note },
  };
}
