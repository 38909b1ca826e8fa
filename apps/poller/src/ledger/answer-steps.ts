import { isProven, type LedgerAnswer, type StepsMessage } from '@mergexo/core/ledger';
import type { SigningKeys } from '@mergexo/core/outbox';
import { attemptOf } from '@mergexo/core/turns';
import type { Records } from '../tools.js';
import { refuseUnproven } from './refuse-message.js';
import type { ReportLimit } from './report-limit.js';

/** How long after the end of a turn its last steps may arrive. */
const LATE_MS = 60_000;

/**
 * Records what the agent does. Changes no turn and does not count as a sign of life, so that a repeated message changes
 * nothing. Accepts the last steps of an attempt even if its result arrives first.
 */
export function answerSteps(
  tools: Records & { keys: SigningKeys; mayReport: ReportLimit },
  message: StepsMessage,
  from: string,
): LedgerAnswer {
  const { state, keys, now } = tools;
  return state.transaction((): LedgerAnswer => {
    const turn = state.readTurn(message.turnKey);
    if (turn === undefined) return { kind: 'refused', reason: 'no such turn' };
    if (!isProven(message, turn, keys.current)) return refuseUnproven(tools, { turn, message, from });
    if (message.attempt !== attemptOf(turn))
      return { kind: 'refused', reason: `attempt ${message.attempt} is not the current one` };
    if (turn.endedAt !== null && now() - turn.endedAt > LATE_MS)
      return { kind: 'refused', reason: 'the turn has ended' };
    state.recordAgentSteps(message, now());
    return { kind: 'ok' };
  });
}
