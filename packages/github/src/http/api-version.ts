import { Failure } from '@mergexo/core/basics';
import { z } from 'zod';
import { statusOf } from './to-failure.js';

/** The versions of GitHub's REST API that MergeXO supports, oldest first. An older Enterprise Server has only the first. */
export const API_VERSIONS = ['2022-11-28', '2026-03-10'] as const;

const [OLDEST] = API_VERSIONS;

/** GitHub answers 410 to a retired version. It also answers 410 for a deleted object. */
const VERSION_REFUSALS = [400, 410];
/** Minimum time between two requests for the list of versions. */
const TRUST_MS = 10 * 60_000;

const Versions = z.array(z.string());

export type ApiVersion = {
  /**
   * Returns the newest version that this host and MergeXO support. Asks the host once, with the login for this
   * repository.
   */
  choose(repo?: string): Promise<string>;
  /**
   * True if GitHub may have refused the request because it no longer supports the version `used`. The request can then
   * be repeated with another version, because GitHub refuses such a request before applying anything.
   */
  isOutdated(refusal: Failure, request: { used: string; repo?: string | undefined }): Promise<boolean>;
};

type FetchVersions = (repo: string | undefined) => Promise<unknown>;

/** `fetchVersions` sends `GET /versions` and throws a `Failure`. */
export function createApiVersion(fetchVersions: FetchVersions, now: () => number): ApiVersion {
  let chosen: { choice: Promise<Choice>; at: number } | undefined;
  const forget = (): void => {
    if (chosen !== undefined && Math.abs(now() - chosen.at) >= TRUST_MS) chosen = undefined;
  };
  const choose = async (repo?: string): Promise<string> => {
    if (chosen === undefined) {
      const asked = { choice: chooseVersion(() => fetchVersions(repo)), at: now() };
      chosen = asked;
      asked.choice.catch(() => {
        if (chosen === asked) chosen = undefined;
      });
    }
    const { version, isGuess } = await chosen.choice;
    if (isGuess) forget();
    return version;
  };
  return {
    choose,
    async isOutdated(refusal, { used, repo }) {
      if (!VERSION_REFUSALS.includes(statusOf(refusal) ?? 0)) return false;
      forget();
      return (await choose(repo)) !== used;
    },
  };
}

/** `isGuess`: the host refused the list, which may be temporary. */
type Choice = { version: string; isGuess: boolean };

async function chooseVersion(ask: () => Promise<unknown>): Promise<Choice> {
  const answer = await ask().then((data) => ({ data, isGuess: false }), guess);
  const offered = Versions.safeParse(answer.data);
  // An old Enterprise Server has no list of versions.
  if (!offered.success) return { version: OLDEST, isGuess: answer.isGuess };
  const version = API_VERSIONS.findLast((known) => offered.data.includes(known));
  if (version !== undefined) return { version, isGuess: false };
  throw new Failure(
    'invalid-data',
    `GitHub supports only the API versions ${offered.data.join(', ')}, and this MergeXO only ${API_VERSIONS.join(', ')}. Update MergeXO.`,
  );
}

/** Throws if GitHub could not answer, or rejects the token. */
function guess(error: unknown): { data: undefined; isGuess: boolean } {
  if (!(error instanceof Failure)) throw error;
  if (['unavailable', 'rate-limited', 'timed-out'].includes(error.kind) || statusOf(error) === 401)
    throw error;
  return { data: undefined, isGuess: error.kind !== 'not-found' };
}
