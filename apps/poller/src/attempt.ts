import { Failure, type Log } from '@mergexo/core/basics';
import { isDiskTrouble, isSqliteError } from '@mergexo/state';

/** Runs one step of a loop. A step that fails because of the world is logged and runs again in the next round. */
export async function attempt(
  log: Log,
  step: string,
  work: () => unknown,
  onFailure: (failure: Failure) => void = () => {},
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof Failure || isSqliteError(error)) || isDiskTrouble(error)) throw error;
    if (error instanceof Failure) onFailure(error);
    log.warn({ step, err: error }, 'a step of the poll cycle failed');
    return false;
  }
}

/**
 * Runs work on one object of a list. If GitHub cannot show that object, this logs the failure and answers undefined, and the
 * others go on. A rate limit concerns them all and a full disk everything, so both are thrown.
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
