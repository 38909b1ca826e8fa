import { LedgerAnswer, type OperatorMessage } from '@mergexo/core/ledger';
import type { State } from '@mergexo/state';
import type { Records } from '../tools.js';

type Refusal = Extract<LedgerAnswer, { kind: 'refused' }>;
type AnswerKind = 'reset' | 'steered';

/** Maximum length of a reason, below the ledger's own limit. */
const MAX_REASON = 3_000;
/** How long to keep records after the requests expire, in case the system clock is set back. */
const KEEP_EXPIRED_MS = 24 * 3_600_000;

/**
 * Carries out an operator's request in one transaction. A crash before the commit changes nothing. A repeated request
 * gets the recorded answer, even if the first request found nothing or was refused, because the state may have changed
 * since then.
 */
export function answerOnce<Kind extends AnswerKind>(
  { state, now }: Records,
  { request, kind }: { request: OperatorMessage; kind: Kind },
  work: () => Extract<LedgerAnswer, { kind: Kind }> | Refusal,
): Extract<LedgerAnswer, { kind: Kind }> | Refusal {
  return state.transaction(() => {
    if (now() > request.expiresAt)
      return refuse('The request expired before the poller read it. Nothing was changed; try again.');
    const recorded = readRecordedAnswer(state, request, kind);
    if (recorded !== undefined) return recorded;
    const answer = work();
    state.recordOperatorAnswer(request, answer);
    state.forgetOperatorRequestsBefore(now() - KEEP_EXPIRED_MS);
    return answer;
  });
}

function readRecordedAnswer<Kind extends AnswerKind>(
  state: State,
  { requestId }: OperatorMessage,
  kind: Kind,
): Extract<LedgerAnswer, { kind: Kind }> | Refusal | undefined {
  const { data } = LedgerAnswer.safeParse(state.readOperatorAnswer(requestId));
  return data !== undefined && isOfKind(data, kind) ? data : undefined;
}

function isOfKind<Kind extends AnswerKind>(
  answer: LedgerAnswer,
  kind: Kind,
): answer is Extract<LedgerAnswer, { kind: Kind }> | Refusal {
  return answer.kind === kind || answer.kind === 'refused';
}

export function refuse(reason: string): Refusal {
  return { kind: 'refused', reason: reason.slice(0, MAX_REASON) };
}
