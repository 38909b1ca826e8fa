import { Failure, type Log } from '@mergexo/core/basics';
import { isDiskTrouble, isSqliteError } from '@mergexo/state';

/** Runs one step of a loop. Logs an external failure and returns false, so that the next round retries the step. */
export async function attempt(
  log: Log,
  { step, onFailure }: { step: string; onFailure?: (failure: Failure) => void },
  work: () => unknown,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof Failure || isSqliteError(error)) || isDiskTrouble(error)) throw error;
    if (error instanceof Failure) onFailure?.(error);
    log.warn({ step, err: error }, 'a step of the poll cycle failed; MergeXO retries in the next cycle');
    return false;
  }
}

/**
 * Runs work on one object of a list. If GitHub cannot return the object, logs the failure and returns undefined, so
 * that the caller continues with the next object. Rethrows a rate limit or a full disk, because both affect all
 * objects.
 */
export async function skipUnreadable<T>(
  log: Log,
  { message, ...facts }: { message: string } & Record<string, unknown>,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'rate-limited' || isDiskTrouble(error)) throw error;
    log.warn({ ...facts, err: error }, message);
    return undefined;
  }
}
