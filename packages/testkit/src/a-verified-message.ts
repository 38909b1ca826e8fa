import {
  computeAttemptSecret,
  computeSender,
  type LedgerDraft,
  type LedgerMessage,
  nameIn,
  OPERATOR,
  proveMessage,
} from '@mergexo/core/ledger';
import type { Turn } from '@mergexo/core/turns';

type ReadTurn = (turnKey: string) => Turn | undefined;

/** A message as the poller receives it from an honest sender: with the proof and the sender's name. */
export function aVerifiedMessage(
  draft: LedgerDraft,
  readTurn: ReadTurn,
  signingKey: string,
): { message: LedgerMessage; from: string } {
  const isOperator = draft.kind === 'reset' || draft.kind === 'steer';
  const from = isOperator ? OPERATOR : 'workerId' in draft ? nameIn(draft.workerId) : 'w';
  return { message: withProof(draft, readTurn, signingKey), from };
}

/** Adds the proof that the worker of the attempt would add. `begin`, `heartbeat` and operators' messages need none. */
export function withProof(draft: LedgerDraft, readTurn: ReadTurn, signingKey: string): LedgerMessage {
  if (!('attempt' in draft)) return draft;
  const { turnKey, attempt } = draft;
  const requestId = readTurn(turnKey)?.begins[attempt - 1] ?? 'never begun';
  return proveMessage(draft, {
    secret: computeAttemptSecret(signingKey, { turnKey, attempt, requestId }),
    workerKey: computeSender(signingKey, nameIn(requestId)).key,
  });
}
