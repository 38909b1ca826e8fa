import type { FailureKind } from '../basics/failure.js';

/**
 * `unknown`: GitHub may have applied the request. `pause`: GitHub refused it for now. `refuse-if-readable`: the subject
 * is gone if the repository is readable.
 */
export type SignFailureStep = 'unknown' | 'pause' | 'refuse' | 'refuse-if-readable';

/** Decides how to react to a failed sign. A failed sign never stops other work. */
export function decideSignFailure(facts: {
  kind: FailureKind;
  /** The HTTP status; null if GitHub did not respond. */
  status: number | null;
  /** True if GitHub reports that the conversation is locked. */
  isLocked: boolean;
}): SignFailureStep {
  switch (facts.kind) {
    case 'rate-limited':
      return 'pause';
    case 'unauthorized':
      return facts.isLocked && facts.status === 403 ? 'refuse' : 'pause';
    case 'not-found':
      return 'refuse-if-readable';
    case 'conflict':
      return 'refuse';
    case 'unavailable':
    case 'timed-out':
    case 'unknown-outcome':
    case 'invalid-data':
      return 'unknown';
  }
}
