import type { Turn } from '../turns/turn.js';
import { beginTurn } from './begin-turn.js';
import { failTurn, finishTurn, freezeTurn, noteProgress, releaseTurn } from './hold-turn.js';
import type { HeartbeatMessage, LedgerDraft, OperatorMessage } from './message.js';
import type { Facts, Step } from './step.js';

/**
 * The messages that may change a turn. The proof is not part of the message here: the poller checks it first.
 */
export type TurnMessage = Exclude<
  LedgerDraft,
  HeartbeatMessage | OperatorMessage | { kind: 'attachment' | 'credential' | 'steps' }
>;

/** Runs the whole ledger as one pure function: takes a turn and a message, and returns the new turn and the reply. */
export function stepTurn(turn: Turn, message: TurnMessage, facts: Facts): Step {
  switch (message.kind) {
    case 'begin':
      return beginTurn(turn, message, facts);
    case 'freeze':
      return freezeTurn(turn, message);
    case 'finish':
      return finishTurn(turn, message, facts);
    case 'fail':
      return failTurn(turn, message, facts);
    case 'release':
      return releaseTurn(turn, message, facts);
    case 'progress':
      return noteProgress(turn, message, facts);
  }
}
