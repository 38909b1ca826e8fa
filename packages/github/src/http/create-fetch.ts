import { chooseProxy, NO_PROXY, type ProxySettings } from '@mergexo/core/basics';
import { Agent, type Dispatcher, fetch, ProxyAgent, type RequestInfo, type Response } from 'undici';

/**
 * Idle limit of a connection, below that of GitHub's servers: a request on a connection that the server just closed
 * would fail.
 */
const IDLE_MS = 20_000;
/** Maximum number of connections. GitHub allows 100 requests at the same time, but recommends few. */
const CONNECTIONS = 8;

const REDIRECTS = [301, 302, 303, 307, 308];
/** Maximum number of redirects. GitHub redirects once for each former name of a repository. */
const MAX_REDIRECTS = 5;

/**
 * Creates a `fetch` that keeps connections open between requests. Node's own `fetch` closes an idle connection after 4
 * s. Most polls would then connect again, which takes as long as the request itself. Follows redirects of a GET on the
 * same server only, and returns every other redirect: another server must not answer for GitHub, and a write must not
 * reach another repository.
 */
export function createFetch(proxy: ProxySettings = NO_PROXY): typeof fetch {
  const dispatcherFor = createDispatchers(proxy);
  return async (input, init = {}) => {
    const send = (url: typeof input) =>
      fetch(url, { ...init, dispatcher: dispatcherFor(url), redirect: 'manual' });
    const isFollowed = init.redirect !== 'manual' && (init.method ?? 'GET') === 'GET';
    let response = await send(input);
    for (let count = 0; isFollowed && count < MAX_REDIRECTS; count += 1) {
      const next = findSameOrigin(response);
      if (next === undefined) return response;
      await response.body?.cancel();
      response = await send(next);
    }
    return response;
  };
}

function createDispatchers(proxy: ProxySettings): (input: RequestInfo) => Dispatcher {
  const limits = { keepAliveTimeout: IDLE_MS, connections: CONNECTIONS };
  const direct = new Agent(limits);
  if (proxy.url === undefined) return () => direct;
  const tunnel = new ProxyAgent({ ...limits, uri: proxy.url });
  return (input) => {
    const url = typeof input === 'object' && 'url' in input ? input.url : String(input);
    return chooseProxy(proxy, url) === undefined ? direct : tunnel;
  };
}

function findSameOrigin({ status, headers, url }: Response): string | undefined {
  const location = headers.get('location');
  if (!REDIRECTS.includes(status) || location === null || !URL.canParse(location, url)) return undefined;
  const target = new URL(location, url);
  return target.origin === new URL(url).origin ? target.href : undefined;
}
