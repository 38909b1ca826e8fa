import type { Failure } from '../basics/failure.js';

/** What the poller knows of an action before it asks GitHub anything. */
export type PostFacts = {
  /** The action was being sent before: GitHub may have applied it. */
  isSending: boolean;
  /** Undefined for a notice, which belongs to no turn. */
  isTurnLive: boolean | undefined;
  /** Its repository or thread is paused. */
  isPaused: boolean;
  /** A person has taken over, and this kind of action waits for them. */
  waitsForPerson: boolean;
  /** The database was lost or restored a moment ago, and lists may not show earlier notices yet. */
  isCatchingUp: boolean;
  /** A link to a comment that was never posted. */
  isDeadLink: boolean;
  /** The last look brought no decision, and the next one is not due. */
  isLookTooEarly: boolean;
  /** The post may be on GitHub although no request of this process sent it. */
  mayBePosted: boolean;
};

export type PostStep = 'wait' | 'drop' | 'refuse' | 'find' | 'send';

/** What to do with the first open action of a thread. */
export function decidePostStep(facts: PostFacts): PostStep {
  const { isSending, isTurnLive } = facts;
  if (facts.isPaused || facts.waitsForPerson) return 'wait';
  if (!isSending && isTurnLive === undefined && facts.isCatchingUp) return 'wait';
  if (!isSending && isTurnLive === false) return 'drop';
  if (!isSending && facts.isDeadLink) return 'refuse';
  if (facts.isLookTooEarly) return 'wait';
  return isSending || facts.mayBePosted ? 'find' : 'send';
}

/** What a complete listing showed of an action. */
export type FindFacts = {
  found: 'ours' | 'foreign' | 'absent';
  isSending: boolean;
  isTurnLive: boolean | undefined;
  /** Between the end of the last request and the start of the listing. */
  quietMs: number;
  windowMs: number;
};

/** An action that may have been applied is sent again only if a listing from after the window does not show it. */
export function decideAfterFind(facts: FindFacts): 'settle' | 'refuse' | 'wait' | 'drop' | 'send' {
  if (facts.found === 'ours') return 'settle';
  if (facts.found === 'foreign') return 'refuse';
  if (facts.isSending && facts.quietMs < facts.windowMs) return 'wait';
  return facts.isTurnLive === false ? 'drop' : 'send';
}

export type RefusalFacts = {
  kind: Failure['kind'];
  /** The HTTP status; null without an answer. */
  status: number | null;
  /** GitHub says that the thread is locked. */
  isLocked: boolean;
  /** The work goes on without this kind of action. */
  isOptional: boolean;
};

/**
 * Whose trouble is it? Token and repository trouble pauses the whole repository, thread trouble only the thread.
 * `refuse-if-readable`: final if the same token reads the repository; otherwise the repository is paused.
 */
export function decideRefusal(
  facts: RefusalFacts,
): 'pause-repository' | 'pause-thread' | 'refuse' | 'refuse-if-readable' {
  const { kind, status } = facts;
  if (kind === 'rate-limited') return 'pause-repository';
  if (kind !== 'unauthorized' && kind !== 'not-found') return 'pause-thread';
  if (facts.isOptional && status !== 401) return 'refuse';
  // A rejected token, a lost permission or an archived repository may be fixed; a locked or deleted thread is final.
  if (status === 401 || (status === 403 && !facts.isLocked)) return 'pause-repository';
  return 'refuse-if-readable';
}

const MAX_OPEN_PULL_ATTEMPTS = 5;

/** GitHub answered 409 or 422 to the opening of a pull request that it does not list as ours. */
export function decideOpenConflict(facts: { sends: number; message: string }): 'wait' | 'retry' | 'refuse' {
  // The pull request is there, but the list does not show it yet.
  if (/already exists/i.test(facts.message)) return 'wait';
  // Right after the push GitHub may not know the branch yet.
  return facts.sends < MAX_OPEN_PULL_ATTEMPTS ? 'retry' : 'refuse';
}
