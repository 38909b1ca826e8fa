import { Failure, type Log } from '@mergexo/core/basics';
import { type GitHub, statusOf } from '@mergexo/github';
import type { ReviewerLogin } from '../tools.js';

export type ReviewerLink = {
  /**
   * Returns the id of the reviewer's account; undefined if the token is unset, rejected, or the author's own.
   * Throws on other failures: until all our logins are known, MergeXO must not read comments, or it would
   * answer its own.
   */
  connect(authorId: number): Promise<number | undefined>;
  voice(): ReviewerLogin | undefined;
};

/** Checks the reviewer's login before its first post, and logs once if the login cannot be used. */
export function linkReviewer(github: GitHub | undefined, log: Log): ReviewerLink {
  let known: { id: number } | 'set-aside' | undefined = github === undefined ? 'set-aside' : undefined;
  const setAside = (why: string, err?: Error): void => {
    known = 'set-aside';
    log.warn(
      { err },
      `${why}; the first login posts reviews as comments until you fix the token and restart the poller`,
    );
  };
  const note = (refusal: Failure): void => {
    if (statusOf(refusal) === 401) setAside('GitHub refuses MERGEXO_REVIEWER_TOKEN', refusal);
    else
      log.warn(
        { err: refusal },
        'GitHub refused a review by the second login; the first login posts it as a comment',
      );
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
