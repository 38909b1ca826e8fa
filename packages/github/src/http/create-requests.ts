import { Failure } from '@mergexo/core/basics';
import { createAskGraph } from './ask-graph.js';
import { checkAnswer } from './check-answer.js';
import { createGetTail } from './get-tail.js';
import { readAll } from './pages.js';
import { refuseForeign } from './refuse-foreign.js';
import type { Requests } from './requests.js';
import { type Connection, createSend } from './send.js';

/** What the parts of the door share: answers checked, and the allow-list for writes, so no caller can forget it. */
export function createRequests(connection: Connection): Requests {
  const { apiUrl } = connection;
  const send = createSend(connection);

  const getIfChanged: Requests['getIfChanged'] = async (path, schema, options) => {
    const response = await send('GET', path, options);
    if (response === undefined) return undefined;
    const { etag, link } = response.headers;
    return {
      status: response.status,
      data: checkAnswer(schema, response.data, `GET ${path}`),
      etag: etag ?? null,
      next: findNext(link, apiUrl),
    };
  };

  const get: Requests['get'] = async (path, schema, options = {}) => {
    const answer = await getIfChanged(path, schema, { ...options, etag: null });
    if (answer === undefined)
      throw new Failure('invalid-data', `GitHub answered GET ${path} with "not modified".`);
    return answer;
  };

  return {
    get,
    getIfChanged,
    getAll: (path, row, query = {}, { limit } = { limit: Number.POSITIVE_INFINITY }) =>
      readAll({ get, getIfChanged }, { path, query, limit }, row),
    getTail: createGetTail(connection, send),
    async write(method, path, schema, body) {
      refuseForeign(connection, /^\/repos\/([^/]+\/[^/]+)\//.exec(path)?.[1]);
      const response = await send(method, path, { body });
      // The status said yes, but the answer is unreadable: it may well be there.
      return checkAnswer(schema, response?.data, `${method} ${path}`, 'unknown-outcome');
    },
    askGraph: createAskGraph(connection, send),
  };
}

/** Only ever another page of the same API: a link elsewhere would get our token. */
function findNext(link: string | undefined, apiUrl: string): string | null {
  const [, target] = /<([^>]+)>;\s*rel="next"/.exec(link ?? '') ?? [];
  if (target === undefined) return null;
  const base = apiUrl.replace(/\/$/, '');
  if (!target.startsWith(`${base}/`))
    throw new Failure('invalid-data', 'GitHub linked a page of another server.');
  return target.slice(base.length);
}
