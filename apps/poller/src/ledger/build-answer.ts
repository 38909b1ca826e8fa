import { computeAttemptSecret, type LedgerAnswer, type Step } from '@mergexo/core/ledger';
import type { SigningKeys } from '@mergexo/core/outbox';
import type { CommitAuthor } from '@mergexo/core/runs';
import { attemptOf } from '@mergexo/core/turns';
import type { Records } from '../tools.js';
import { describeUploads, type Uploads } from './answer-attachment.js';

type Tools = Pick<Records, 'state'> & {
  keys: SigningKeys;
  author: () => CommitAuthor | undefined;
  uploads: Pick<Uploads, 'list'>;
  tokens?: object | undefined;
};

/** Builds the answer to a worker. The answer to `begin` contains the turn, and the fallback, if any. */
export function buildAnswer(
  { state, keys, author: findAuthor, uploads, tokens }: Tools,
  { turn, verdict }: Step,
  fallback: string | undefined,
): LedgerAnswer {
  if (verdict.kind !== 'begun') return verdict;
  const author = findAuthor();
  if (author === undefined) throw new Error('a turn started before GitHub confirmed the login');
  const { turnKey, kind: turnKind, repoId, issueNumber, prNumber } = turn;
  const attempt = attemptOf(turn);
  const requestId = turn.begins.at(-1) ?? '';
  return {
    kind: 'begun',
    attempt,
    secret: computeAttemptSecret(keys.current, { turnKey, attempt, requestId }),
    turnKey,
    turnKind,
    repoId,
    issueNumber,
    prNumber,
    context: state.readTurnContext(turnKey),
    frozen: state.readPlan(turnKey),
    author,
    ...(fallback !== undefined && { adapter: fallback }),
    ...(tokens !== undefined && { asksForToken: true as const }),
    // A turn with a frozen plan needs no uploads, because its agent does not run again.
    ...(turn.planDigest === null && describeUploads(uploads, turn)),
  };
}
