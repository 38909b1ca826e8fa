import type { Failure } from '@mergexo/core/basics';
import type { createFetch } from '../http/create-fetch.js';
import { toFailure } from '../http/to-failure.js';
import { signAppJwt } from './sign-app-jwt.js';

export type AppIdentity = {
  apiUrl: string;
  clientId: string;
  /** Reads the private keys, the preferred one first. Called for each request, so that a new key needs no restart. */
  readKeys: () => readonly string[];
  userAgent: string;
  fetch: ReturnType<typeof createFetch>;
  now: () => number;
  timeoutMs?: number;
};

export type AppAnswer = { status: number; data: unknown; date: number | undefined };

export type AppAsk = { method: 'GET' | 'POST' | 'DELETE'; path: string; body?: object; token?: string };

/** Sends a request as the App, or with the given token. Returns any response, and throws only if there is none. */
export type AskAsApp = (ask: AppAsk) => Promise<AppAnswer>;

/** A smaller difference between the clocks does not explain a rejected token. */
const NOTABLE_SKEW_MS = 5_000;
const TIMEOUT_MS = 30_000;

/**
 * Signs each request with the first key, and tries the next key if GitHub rejects the signature. Corrects the clock
 * with the time in GitHub's responses.
 */
export function createAskAsApp(app: AppIdentity): AskAsApp {
  const send = createAppSend(app);
  let skewMs = 0;
  const tryKey = async (ask: AppAsk, key: string): Promise<AppAnswer> => {
    const signed = async (): Promise<AppAnswer> => {
      const jwt = signAppJwt({ clientId: app.clientId, key, now: app.now() + skewMs });
      return send(ask, `Bearer ${jwt}`);
    };
    const first = await signed();
    const before = skewMs;
    if (first.date !== undefined) skewMs = first.date - app.now();
    const isSkewed = first.status === 401 && Math.abs(skewMs - before) > NOTABLE_SKEW_MS;
    return isSkewed ? signed() : first;
  };
  return async (ask) => {
    if (ask.token !== undefined) return send(ask, `token ${ask.token}`);
    const keys = app.readKeys();
    for (const key of keys.slice(0, -1)) {
      const answer = await tryKey(ask, key);
      if (answer.status !== 401) return answer;
    }
    return tryKey(ask, keys.at(-1) ?? '');
  };
}

function createAppSend({ apiUrl, userAgent, fetch, now, timeoutMs = TIMEOUT_MS }: AppIdentity) {
  return async ({ method, path, body }: AppAsk, authorization: string): Promise<AppAnswer> => {
    try {
      const response = await fetch(`${apiUrl.replace(/\/$/, '')}${path}`, {
        method,
        headers: {
          authorization,
          accept: 'application/vnd.github+json',
          'content-type': 'application/json',
          'user-agent': userAgent,
        },
        signal: AbortSignal.timeout(timeoutMs),
        redirect: 'manual',
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const date = Date.parse(response.headers.get('date') ?? '');
      const text = await response.text();
      return { status: response.status, data: parse(text), date: Number.isNaN(date) ? undefined : date };
    } catch (error) {
      throw toFailure(error, { reads: true, what: `${method} ${path}` }, now());
    }
  };
}

/** Returns undefined for text that is not JSON, such as a proxy's error page. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Translates an error response. The cause has the status, as in Octokit's errors. */
export function explainAnswer({ status, data }: AppAnswer, what: string, now: number): Failure {
  const message = String(Object(data).message ?? `status ${status}`);
  return toFailure({ status, message, response: { headers: {}, data } }, { reads: true, what }, now);
}
