import { Failure, type Log, type ProxySettings } from '@mergexo/core/basics';
import { throttling } from '@octokit/plugin-throttling';
import { Octokit } from '@octokit/rest';
import { type ApiVersion, createApiVersion } from './api-version.js';
import { createFetch } from './create-fetch.js';
import { type RateLimit, readRateLimit } from './rate-limit.js';
import { createRepoOf } from './repo-of.js';
import { statusOfError, toFailure } from './to-failure.js';
import { type TokenSource, withToken } from './with-token.js';

const REQUEST_TIMEOUT_MS = 30_000;

export type Connection = TokenSource & {
  apiUrl: string;
  /** `owner/name` of every repository that MergeXO may write to. */
  writable: readonly string[];
  userAgent: string;
  /** False only for a loopback API. GitHub asks for 1 s between writes and 3 s between notifications. */
  throttled: boolean;
  now: () => number;
  log: Log;
  /** Called for every response with rate limit headers, including a 304. */
  onRateLimit?: (limit: RateLimit) => void;
  /** Called after every request; `failure` is undefined after a success or a 304. Must not throw. */
  onOutcome?: (failure: Failure | undefined) => void;
  /** Called for every response except a 304, which means that nothing has changed. */
  onNews?: (path: string) => void;
  /** Called after every successful write. */
  onWritten?: () => void;
  /** Absent: all connections are direct. */
  proxy?: ProxySettings;
  /** Pins the API version, for tests that bring their own server. By default, the host's versions decide. */
  apiVersion?: string;
  /** The default is 30 s; tests use less. */
  timeoutMs?: number;
  /** Sends the requests. Absent: over the network. A simulated world passes its own. */
  fetch?: Fetch;
};

/** The parts of a response that Octokit reads. */
export type Fetched = {
  ok: boolean;
  status: number;
  url: string;
  headers: Iterable<[string, string]> & { get(name: string): string | null | undefined };
  text(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
};
export type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string | undefined },
) => Promise<Fetched>;

export type Query = Readonly<Record<string, string | number | undefined>>;

export type Sending = {
  body?: object;
  query?: Query;
  etag?: string | null;
  /** If true, redirects are not followed, because only GitHub may get our token. */
  stay?: boolean;
  /** `full` also returns the text of the object as HTML, with signed URLs of uploads. */
  media?: 'full';
  /** True for a POST that changes nothing, such as a GraphQL query. */
  reads?: boolean;
  /**
   * True for a write that starts no work, such as a reaction. Such a write does not wake the poller or delay other
   * writes.
   */
  quiet?: boolean;
  /** The repository that the request concerns, if the path does not name it. */
  repo?: string;
};

export type Sent = {
  status: number;
  data: unknown;
  headers: { etag?: string | undefined; link?: string | undefined; location?: string | undefined };
};

/** Undefined if nothing has changed since the ETag. */
export type Send = (method: string, path: string, sending?: Sending) => Promise<Sent | undefined>;

const Throttled = Octokit.plugin(throttling);

/**
 * Sends every request to GitHub, with the same timeout and error translation. Never retries, except with a replaced
 * token.
 */
export function createSend(connection: Connection): Send {
  const octokit = createOctokit(connection, 'main');
  /** Has a queue of its own, so that a slow sign never delays a reply. */
  const quietOctokit = createOctokit(connection, 'signs');
  const repos = createRepoOf();
  const noteLimit = (headers: unknown): void => {
    const limit = readRateLimit(headers);
    if (limit !== undefined) connection.onRateLimit?.(limit);
  };

  const request = (route: string, sending: Sending & { version?: string }): Promise<Sent> => {
    const { body, query = {}, etag, stay = false, media, quiet = false, repo, version } = sending;
    return withToken(connection, repo, (token) =>
      (quiet ? quietOctokit : octokit).request(withQuery(route, query), {
        ...body,
        headers: {
          authorization: `token ${token}`,
          ...(version ? { 'x-github-api-version': version } : {}),
          ...(etag ? { 'if-none-match': etag } : {}),
          ...(media ? { accept: `application/vnd.github.${media}+json` } : {}),
        },
        request: { signal: timeoutOf(connection), ...(stay ? { redirect: 'manual' } : {}) },
      }),
    );
  };
  const versions = findVersions(connection, (repo) => request('GET /versions', repo ? { repo } : {}));

  return async (method, path, sending = {}) => {
    const { stay = false, reads = method === 'GET', quiet = false, repo = repos.find(path) } = sending;
    const asked = { reads, what: `${method} ${path}` };
    const fail = (error: unknown): Failure => toFailure(error, asked, connection.now());
    const attempt = async () => {
      const version = await versions.choose(repo);
      const whole = { ...sending, version, ...(repo !== undefined && { repo }) };
      return request(asked.what, whole).catch(async (error: unknown) => {
        if (isNotModified(error) || !(await versions.isOutdated(fail(error), { used: version, repo })))
          throw error;
        return request(asked.what, { ...whole, version: await versions.choose(repo) });
      });
    };
    try {
      const response = await attempt();
      repos.learn(path, response.headers.link);
      noteLimit(response.headers);
      if (!stay && response.status >= 300) throw refuseRedirect(asked.what, reads);
      connection.onOutcome?.(undefined);
      if (!quiet) connection.onNews?.(path);
      if (!reads && !quiet) connection.onWritten?.();
      return response;
    } catch (error) {
      // With a rejected token, GitHub reports the limit of anonymous requests, not the login's.
      if (statusOfError(error) !== 401) noteLimit(headersOf(error));
      const failure = isNotModified(error) ? undefined : fail(error);
      connection.onOutcome?.(failure);
      if (failure === undefined) return undefined;
      throw failure;
    }
  };
}

type FetchVersions = (repo: string | undefined) => Promise<Sent>;

function findVersions(connection: Connection, fetchVersions: FetchVersions): ApiVersion {
  const { apiVersion, now } = connection;
  if (apiVersion !== undefined) return { choose: async () => apiVersion, isOutdated: async () => false };
  const asked = { reads: true, what: 'GET /versions' };
  const fetchData = (repo: string | undefined) =>
    fetchVersions(repo).then(
      ({ data }) => data,
      (error: unknown) => {
        throw toFailure(error, asked, now());
      },
    );
  return createApiVersion(fetchData, now);
}

function refuseRedirect(what: string, reads: boolean): Failure {
  return new Failure(
    reads ? 'invalid-data' : 'unknown-outcome',
    `GitHub redirected ${what}, and MergeXO did not follow. If the repository was renamed, change its owner and name in mergexo.toml.`,
  );
}

export const timeoutOf = ({ timeoutMs = REQUEST_TIMEOUT_MS }: Connection) => AbortSignal.timeout(timeoutMs);

function createOctokit({ apiUrl, userAgent, throttled, log, proxy, fetch }: Connection, id: string) {
  const octokitLog = { debug: () => {}, info: () => {}, warn: warn(log), error: warn(log) };
  return new Throttled({
    baseUrl: apiUrl.replace(/\/$/, ''),
    userAgent,
    // Without this log, Octokit would log each request to the console.
    request: { fetch: fetch ?? createFetch(proxy), log: octokitLog },
    log: octokitLog,
    throttle: {
      enabled: throttled,
      id,
      // Octokit must not wait, because that would block all other requests. The caller waits and serves other
      // repositories.
      onRateLimit: () => false,
      onSecondaryRateLimit: () => false,
    },
  });
}

/** Drops deprecation warnings, because Octokit logs one for each response in an old API version. */
const warn = (log: Log) => (message: string) => {
  if (!message.includes('is deprecated. It is scheduled')) log.debug({ octokit: message }, 'octokit');
};

export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)]],
  );
  const text = new URLSearchParams(Object.fromEntries(given)).toString();
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`;
}

function isNotModified(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'status' in error && error.status === 304;
}

/**
 * Returns the headers of an error. Octokit throws for a 304 and for rejected requests, whose headers also contain the
 * rate limit.
 */
function headersOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null || !('response' in error)) return undefined;
  const { response } = error;
  return typeof response === 'object' && response !== null && 'headers' in response
    ? response.headers
    : undefined;
}
