import type { TurnMessage } from '@mergexo/core/ledger';
import { ReviewContext, type Turn } from '@mergexo/core/turns';
import type { Records } from '../../tools.js';

/** Keeps a reviewer's answer from a failed attempt, so that the next attempt does not pay for the review again. */
export function keepReported(
  { state }: Pick<Records, 'state'>,
  { kind, turnKey }: Turn,
  message: TurnMessage,
): void {
  if (message.kind !== 'fail' || message.reported === undefined || kind !== 'review') return;
  const context = ReviewContext.parse(state.readTurnContext(turnKey));
  state.saveTurnContext(turnKey, { ...context, reported: message.reported });
}
