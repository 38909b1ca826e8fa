import { Failure, type Log } from '@mergexo/core';
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
