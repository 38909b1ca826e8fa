import type { Ran } from './run-git.js';
import { excerpt, isDiskFull, toFailure } from './to-failure.js';

export type Invalid = { kind: 'invalid'; reason: string };

/** Content that git refuses is the agent's fault and is not retried. A full disk is not, and throws. */
export function refuse(action: string, ran: Ran): Invalid {
  if (isDiskFull(ran.stderr)) throw toFailure({ action, ...ran });
  return { kind: 'invalid', reason: excerpt(ran.stderr) };
}
