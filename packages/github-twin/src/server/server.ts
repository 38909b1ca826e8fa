import { ApiError } from '../basics/api-error.js';
import { type Exchange, openExchange, recordRequest } from '../http/exchange.js';
import type { Incoming, Outgoing } from '../http/messages.js';
import { commonHeaders, send } from '../http/send.js';
import { refuseInJson } from '../http/serve-exchange.js';
import { isSigned } from '../http/signed-path.js';
import type { Router } from '../rest/router.js';
import { isUploadPath, serveUpload } from '../uploads/serve-uploads.js';
import type { World } from '../world/world.js';
import { isControlPath, serveControl } from './serve-control.js';
import { isGitPath, serveGit } from './serve-git.js';
import { serveGraphQL } from './serve-graphql.js';
import { isManifestPath, serveManifest } from './serve-manifest.js';
import { serveRest } from './serve-rest.js';

/** Responds to a browser. Returns false for an API request. */
export type Pages = (exchange: Exchange) => Promise<boolean>;
export type ServerParts = { world: World; router: Router; pages: Pages | undefined; control: boolean };

export function createHandler(parts: ServerParts) {
  const running = new Set<Promise<void>>();
  return {
    handle: (request: Incoming, response: Outgoing): void => {
      const done = serve(parts, request, response).finally(() => running.delete(done));
      running.add(done);
    },
    /** Resolves when no request is running. */
    settle: async (): Promise<void> => {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

async function serve(parts: ServerParts, request: Incoming, response: Outgoing): Promise<void> {
  const exchange = openExchange(parts.world, request, response);
  if (!exchange) return void response.writeHead(400).end();
  try {
    await route(parts, exchange);
  } catch (error) {
    // Failed requests are recorded in the history too.
    const failure = isHangUp(error) ? undefined : toFailure(exchange, error);
    // A client that disconnected during its request gets no response.
    const gone = !failure || response.destroyed;
    const ended = gone ? 'client-gone' : response.headersSent ? 'dropped' : undefined;
    if (!exchange.recorded) recordRequest(exchange, ended ? { ended } : { status: failure?.status ?? 0 });
    if (ended || !failure) return void response.destroy();
    const { headers, ...wire } = refuseInJson(failure);
    send(exchange, { ...wire, headers: { ...commonHeaders(exchange, 'core'), ...headers } });
  }
}

async function route({ world, router, pages, control }: ServerParts, exchange: Exchange): Promise<void> {
  const { path, method } = exchange;
  const jobId = /^\/_logs\/jobs\/(\d+)$/.exec(path)?.[1];
  if (jobId !== undefined) return serveLog(exchange, world.store.jobs.get(Number(jobId))?.log);
  if (isUploadPath(path)) return serveUpload(exchange);
  if (control && isControlPath(path)) return serveControl(exchange);
  if (isGitPath(path)) return serveGit(exchange);
  if (method === 'POST' && (path === '/graphql' || path === '/api/graphql')) return serveGraphQL(exchange);
  if (isManifestPath(exchange)) return serveManifest(exchange);
  if (await pages?.(exchange)) return;
  return serveRest(exchange, router);
}

/** Serves the log of a job. The API redirects to this path. */
function serveLog(exchange: Exchange, log: string | undefined): void {
  const shown = isSigned(exchange) ? log : undefined;
  send(exchange, {
    status: shown === undefined ? 403 : 200,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: Buffer.from(shown ?? 'Server failed to authenticate the request.'),
  });
}

/** True if reading a request failed because the client disconnected. */
function isHangUp(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Records a bug in the twin as a violation, so that the test fails even if the client tolerates a 500. */
function toFailure({ world, method, path }: Exchange, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  world.history.record({ kind: 'violation', route: `${method} ${path}`, errors: [text] });
  return new ApiError(500, `The twin failed: ${text}`);
}
