import { setTimeout as sleep } from 'node:timers/promises';
import { statusOfError } from './to-failure.js';

/** The login of a connection. */
export type TokenSource = {
  /**
   * Called before every request, so that a renewed token is used at once. `repo` is `owner/name`, and undefined for a
   * request that concerns no repository.
   */
  token: (repo: string | undefined) => Promise<string>;
  /**
   * Called if GitHub rejects a token. Returns how many milliseconds to wait before the request is repeated with the
   * current token. Absent: the request fails.
   */
  onRejected?: (token: string) => number;
};

/** Maximum number of times that a request is repeated after a rejected token. */
const MAX_REPEATS = 12;

/**
 * Runs a request with the login's token. If GitHub rejects the token and the login can replace it, repeats the request.
 * Even a write is safe to repeat, because GitHub did not apply it.
 */
export async function withToken<T>(
  { token: findToken, onRejected }: TokenSource,
  repo: string | undefined,
  request: (token: string) => Promise<T>,
): Promise<T> {
  for (let repeats = 0; ; repeats += 1) {
    const token = await findToken(repo);
    try {
      return await request(token);
    } catch (error) {
      if (onRejected === undefined || repeats >= MAX_REPEATS || statusOfError(error) !== 401) throw error;
      await sleep(onRejected(token));
    }
  }
}
