import type { Failure } from '../basics/failure.js';

/** The facts that the poller knows about an action before it sends a request to GitHub. */
export type PostFacts = {
  /** True if an earlier request was sent, so that GitHub may have applied it. */
  isSending: boolean;
  /** Undefined for a notice, which belongs to no turn. */
  isTurnLive: boolean | undefined;
  /** True if the repository or thread of the action is paused. */
  isPaused: boolean;
  /** True if a person has taken over and this kind of action must wait. */
  waitsForPerson: boolean;
  /** True if the database was lost or restored recently, so that lists may not contain earlier notices yet. */
  isCatchingUp: boolean;
  /** True if the action links to a comment that was never posted. */
  isDeadLink: boolean;
  /** True if the last search on GitHub was inconclusive and the next search is not due yet. */
  isLookTooEarly: boolean;
  /** True if the post may be on GitHub although this process did not send it. */
  mayBePosted: boolean;
};

export type PostStep = 'wait' | 'drop' | 'refuse' | 'find' | 'send';

/** Decides the next step for the first open action of a thread. */
export function decidePostStep(facts: PostFacts): PostStep {
  const { isSending, isTurnLive } = facts;
  if (facts.isPaused || facts.waitsForPerson) return 'wait';
  if (!isSending && isTurnLive === undefined && facts.isCatchingUp) return 'wait';
  if (!isSending && isTurnLive === false) return 'drop';
  if (!isSending && facts.isDeadLink) return 'refuse';
  if (facts.isLookTooEarly) return 'wait';
  return isSending || facts.mayBePosted ? 'find' : 'send';
}

/** The result of searching a complete listing for an action. */
export type FindFacts = {
  found: 'ours' | 'foreign' | 'absent';
  isSending: boolean;
  isTurnLive: boolean | undefined;
  /** Time between the end of the last request and the start of the listing. */
  quietMs: number;
  windowMs: number;
};

/**
 * Decides the next step after a search. If GitHub may have applied the action, MergeXO sends it again only if
 * a listing made after the visibility window does not contain it.
 */
export function decideAfterFind(facts: FindFacts): 'settle' | 'refuse' | 'wait' | 'drop' | 'send' {
  if (facts.found === 'ours') return 'settle';
  if (facts.found === 'foreign') return 'refuse';
  if (facts.isSending && facts.quietMs < facts.windowMs) return 'wait';
  return facts.isTurnLive === false ? 'drop' : 'send';
}

export type RefusalFacts = {
  kind: Failure['kind'];
  /** The HTTP status; null if GitHub did not respond. */
  status: number | null;
  /** True if GitHub reports that the thread is locked. */
  isLocked: boolean;
  /** True if the work continues without this kind of action. */
  isOptional: boolean;
};

/**
 * Decides how to react to a refused request. A token or repository problem pauses the whole repository. A thread
 * problem pauses only the thread. `refuse-if-readable` refuses the action if the token can read the repository, and
 * otherwise pauses the repository.
 */
export function decideRefusal(
  facts: RefusalFacts,
): 'pause-repository' | 'pause-thread' | 'refuse' | 'refuse-if-readable' {
  const { kind, status } = facts;
  if (kind === 'rate-limited') return 'pause-repository';
  if (kind !== 'unauthorized' && kind !== 'not-found') return 'pause-thread';
  if (facts.isOptional && status !== 401) return 'refuse';
  // A person can fix a rejected token, a lost permission or an archived repository. A deleted or locked
  // thread is final.
  if (status === 401 || (status === 403 && !facts.isLocked)) return 'pause-repository';
  return 'refuse-if-readable';
}

const MAX_OPEN_PULL_ATTEMPTS = 5;

/**
 * Decides the next step if GitHub returned 409 or 422 for a new pull request and the list of pull requests contains
 * none of ours.
 */
export function decideOpenConflict(facts: { sends: number; message: string }): 'wait' | 'retry' | 'refuse' {
  // The pull request exists, but the list does not contain it yet.
  if (/already exists/i.test(facts.message)) return 'wait';
  // Right after the push, GitHub may not have the branch yet.
  return facts.sends < MAX_OPEN_PULL_ATTEMPTS ? 'retry' : 'refuse';
}
