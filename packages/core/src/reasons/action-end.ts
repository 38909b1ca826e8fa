import { z } from 'zod';
import { keysOf } from '../basics/keys-of.js';
import { TURN_STATES } from '../turns/turn.js';

/** Reasons that need no further data, with their text. */
const PLAIN = {
  unblocked: 'not sent: an operator unblocked the work',
  taken_over: 'not sent: a person took over',
  reopened: 'not sent: the thread was reopened',
  retired: 'not sent: an operator retired the repository',
  edited: 'edited',
  deleted: 'deleted',
} as const;

/** Why an action ended without an intact post on GitHub: not sent, refused, or changed by a person afterwards. */
export const ActionEnd = z.discriminatedUnion('code', [
  z.strictObject({ code: z.enum(keysOf(PLAIN)) }),
  z.strictObject({ code: z.literal('turn_ended'), state: z.enum(TURN_STATES) }),
  /** Reopening a pull request restores the notices that MergeXO withdrew when it was closed. */
  z.strictObject({ code: z.literal('pull_ended'), status: z.enum(['merged', 'closed']) }),
  /** `text` is GitHub's response. */
  z.strictObject({ code: z.literal('refused'), text: z.string() }),
]);
export type ActionEnd = z.infer<typeof ActionEnd>;
/** Why an action was never sent and will not be. */
export type UnsentReason = Exclude<ActionEnd, { code: 'refused' | 'edited' | 'deleted' }>;

export function renderActionEnd(end: ActionEnd): string {
  switch (end.code) {
    case 'turn_ended':
      return `not sent: the turn is ${end.state}`;
    case 'pull_ended':
      return `not sent: the pull request was ${end.status}`;
    case 'refused':
      return end.text;
    default:
      return PLAIN[end.code];
  }
}
