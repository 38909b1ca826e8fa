import { AsyncLocalStorage } from 'node:async_hooks';
import { Failure } from '@mergexo/core/basics';
import { type BegunTurn, type CredentialMessage, type LedgerAnswer, openToken } from '@mergexo/core/ledger';

export type FindCredential = () => Promise<string>;

/** The credential of the attempt that runs the current code. Attempts in other slots have their own. */
const current = new AsyncLocalStorage<FindCredential>();

/** Runs the work of an attempt. Its git commands use the attempt's own credential. */
export const withCredential = <T>(find: FindCredential | undefined, work: () => Promise<T>): Promise<T> =>
  find === undefined ? work() : current.run(find, work);

/** Undefined if the worker uses its own login. */
export const findAttemptCredential = (): FindCredential | undefined => current.getStore();

/** A token is replaced while this much of its life is left, or a sixth of its life, whichever is less. */
const MAX_MARGIN_MS = 600_000;

type Draft = Omit<CredentialMessage, 'proof'>;

/**
 * Creates the function that asks the poller for a token. Keeps the token until shortly before it expires, so that most
 * turns ask once.
 */
export function createAttemptCredential(
  { turnKey, attempt }: Pick<BegunTurn, 'turnKey' | 'attempt'>,
  parties: { secret: string; workerKey: string },
  send: (draft: Draft) => Promise<LedgerAnswer>,
): FindCredential {
  let number = 0;
  let pending: Promise<string> | undefined;
  let replaceAt = 0;
  const ask = async (): Promise<string> => {
    number += 1;
    const askedAt = performance.now();
    const answer = await send({ kind: 'credential', turnKey, attempt, number });
    if (answer.kind !== 'credential')
      throw new Failure(
        'unauthorized',
        `The poller sent no token for the repository: ${'reason' in answer ? answer.reason : answer.kind}`,
      );
    const token = openToken(answer.sealed, { turnKey, attempt, ...parties });
    if (token === undefined)
      throw new Failure('unauthorized', "The poller's token is not encrypted for this attempt.");
    replaceAt = askedAt + answer.lifetimeMs - Math.min(MAX_MARGIN_MS, answer.lifetimeMs / 6);
    return token;
  };
  return () => {
    if (pending === undefined || performance.now() >= replaceAt) {
      replaceAt = Number.POSITIVE_INFINITY;
      pending = ask();
      pending.catch(() => {
        pending = undefined;
      });
    }
    return pending;
  };
}
