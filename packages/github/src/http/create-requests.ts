import { Failure } from '@mergexo/core/basics';
import type { z } from 'zod';
import { createLimitedMap } from '../memory/limited-map.js';
import { createAskGraph } from './ask-graph.js';
import { checkAnswer } from './check-answer.js';
import { createGetTail } from './get-tail.js';
import { createGetAll } from './pages.js';
import { refuseForeign } from './refuse-foreign.js';
import type { Answer, Requests, WriteRoute } from './requests.js';
import { type Connection, createSend, type Sending, type Sent, withQuery } from './send.js';

/** Maximum number of cached responses. Each has at most 100 rows. */
const MAX_ANSWERS = 300;
const DEFAULT_PAGE_SIZE = 30;

/**
 * Creates the shared requests. They parse every response, and check every write against the allow-list. Every
 * repeated GET sends the ETag of the last response, because a 304 does not count against the rate limit.
 */
export function createRequests(connection: Connection): Requests {
  const { apiUrl } = connection;
  const send = createSend(connection);
  const answers = createLimitedMap<Sent>(MAX_ANSWERS);

  const parse = <S extends z.ZodType>(path: string, schema: S, response: Sent): Answer<z.infer<S>> => {
    const { etag, link } = response.headers;
    return {
      status: response.status,
      data: checkAnswer(schema, response.data, { what: `GET ${path}`, otherwise: 'invalid-data' }),
      etag: etag ?? null,
      next: findNext(link, apiUrl),
    };
  };

  const getIfChanged: Requests['getIfChanged'] = async (path, schema, options) => {
    const response = await send('GET', path, options);
    return response && parse(path, schema, response);
  };

  const get: Requests['get'] = async (path, schema, { query = {} } = {}) => {
    const url = withQuery(path, query);
    const known = answers.get(url);
    const response = (await send('GET', path, { query, etag: known?.headers.etag ?? null })) ?? known;
    if (response === undefined)
      throw new Failure(
        'invalid-data',
        `GitHub answered GET ${path} with 304 Not Modified, although no ETag was sent.`,
      );
    const answer = parse(path, schema, response);
    if (mayGrowUnnoticed(response, url)) answers.delete(url);
    else answers.set(url, response);
    return answer;
  };

  const write = async (route: WriteRoute, sending: Sending): Promise<Sent | undefined> => {
    const [, method = '', path = '', repo] = /^(\w+) (\/repos\/([^/]+\/[^/]+)\/.*)$/s.exec(route) ?? [];
    // The `..` in a path such as `/repos/a/b/../c` leads to another repository.
    const isPlain = new URL(path, 'https://github.invalid').pathname === path;
    refuseForeign(connection, isPlain ? repo : path);
    return send(method, path, sending);
  };

  return {
    get,
    getIfChanged,
    getAll: createGetAll({ get, getIfChanged }),
    getTail: createGetTail(connection, send),
    async write(route, schema, body) {
      const response = await write(route, { body });
      // GitHub accepted the write but its response is invalid, so the write may have been applied.
      return checkAnswer(schema, response?.data, { what: route, otherwise: 'unknown-outcome' });
    },
    async writeQuietly(route, schema, body) {
      const response = await write(route, { body, quiet: true });
      const data = checkAnswer(schema, response?.data, { what: route, otherwise: 'unknown-outcome' });
      return { status: response?.status ?? 0, data };
    },
    askGraph: createAskGraph(connection, send),
  };
}

/** True for a full last page. A new row would start another page and leave this one and its ETag unchanged. */
function mayGrowUnnoticed({ data, headers }: Sent, url: string): boolean {
  const size = Number(/[?&]per_page=(\d+)/.exec(url)?.[1] ?? DEFAULT_PAGE_SIZE);
  return Array.isArray(data) && data.length >= size && !headers.link?.includes('rel="next"');
}

/** Returns the path of the next page. Rejects a link to another server, because that server would get our token. */
function findNext(link: string | undefined, apiUrl: string): string | null {
  const [, target] = /<([^<>]+)>;\s*rel="next"/.exec(link ?? '') ?? [];
  if (target === undefined) return null;
  const base = apiUrl.replace(/\/$/, '');
  if (!target.startsWith(`${base}/`))
    throw new Failure(
      'invalid-data',
      'GitHub linked the next page of a list to another server. MergeXO did not follow the link.',
    );
  return target.slice(base.length);
}
