import { Failure, type Log } from '@mergexo/core/basics';
import { type GitHub, statusOf, type Viewer } from '@mergexo/github';
import type { ReviewerLogin } from '../tools.js';

export type ReviewerLink = {
  /**
   * Returns the id of the reviewer's account; undefined if there is none, if GitHub rejects it, or if it is the
   * author's own. Throws on other failures: until all our logins are known, MergeXO must not read comments, or it would
   * answer its own.
   */
  connect(authorId: number): Promise<number | undefined>;
  voice(): ReviewerLogin | undefined;
};

/** The reviewer's login. `name` is the setting that contains it. */
export type Reviewer = { github: GitHub; identify: () => Promise<Viewer>; name: string };

/** Checks the reviewer's login before its first post, and logs once if the login cannot be used. */
export function linkReviewer(reviewer: Reviewer | undefined, log: Log): ReviewerLink {
  let known: { id: number } | 'set-aside' | undefined = reviewer === undefined ? 'set-aside' : undefined;
  const setAside = (why: string, err?: Error): void => {
    known = 'set-aside';
    log.warn(
      { err },
      `${why}; the first login posts reviews as comments until you fix this and restart the poller`,
    );
  };
  const note = (refusal: Failure): void => {
    if (statusOf(refusal) === 401) setAside(`GitHub refuses ${reviewer?.name}`, refusal);
    else
      log.warn(
        { err: refusal },
        'GitHub refused a review by the second login; the first login posts it as a comment',
      );
  };
  return {
    async connect(authorId) {
      if (reviewer === undefined || known === 'set-aside') return undefined;
      if (known !== undefined) return known.id;
      try {
        const { id } = await reviewer.identify();
        if (id === authorId) {
          setAside(`${reviewer.name} belongs to the login that opens the pull requests`);
          return undefined;
        }
        known = { id };
        return id;
      } catch (error) {
        if (!(error instanceof Failure) || error.kind !== 'unauthorized') throw error;
        setAside(`GitHub refuses ${reviewer.name}`, error);
        return undefined;
      }
    },
    voice: () =>
      reviewer === undefined || known === undefined || known === 'set-aside'
        ? undefined
        : { github: reviewer.github, note },
  };
}
