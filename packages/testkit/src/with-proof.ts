import {
  computeAttemptSecret,
  type LedgerDraft,
  type LedgerMessage,
  proveMessage,
} from '@mergexo/core/ledger';
import type { Turn } from '@mergexo/core/turns';

/** Adds the proof that the worker of the attempt would add. `begin`, `heartbeat` and `reset` need none. */
export function withProof(
  draft: LedgerDraft,
  readTurn: (turnKey: string) => Turn | undefined,
  signingKey: string,
): LedgerMessage {
  if (draft.kind === 'begin' || draft.kind === 'heartbeat' || draft.kind === 'reset') return draft;
  const { turnKey, attempt } = draft;
  const requestId = readTurn(turnKey)?.begins[attempt - 1] ?? 'never begun';
  return proveMessage(draft, computeAttemptSecret(signingKey, { turnKey, attempt, requestId }));
}
