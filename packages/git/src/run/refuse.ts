import type { Ran } from './run-git.js';
import { excerpt, isDiskFull, toFailure } from './to-failure.js';

export type Invalid = { kind: 'invalid'; reason: string };

/** What git will not take from the agent is the agent's fault, and no reason to try again; a full disk is ours. */
export function refuse(action: string, ran: Ran): Invalid {
  if (isDiskFull(ran.stderr)) throw toFailure({ action, ...ran });
  return { kind: 'invalid', reason: excerpt(ran.stderr) };
}
