import type { Ran } from './run-git.js';
import { excerpt, isDiskFull, toFailure } from './to-failure.js';

export type Invalid = { kind: 'invalid'; reason: string };

/** Returns `invalid` if git rejects the content; the caller does not retry. Throws if the disk is full. */
export function refuse(action: string, ran: Ran): Invalid {
  if (isDiskFull(ran.stderr)) throw toFailure({ action, ...ran });
  return { kind: 'invalid', reason: excerpt(ran.stderr) };
}
