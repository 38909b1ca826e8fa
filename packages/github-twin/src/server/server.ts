import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../basics/api-error.js';
import type { Control } from '../control/control.js';
import { type Exchange, isHangUp, openExchange } from '../http/exchange.js';
import { isGitPath } from '../http/git-path.js';
import { type End, recordRequest } from '../http/record.js';
import { commonHeaders, send } from '../http/send.js';
import type { Router } from '../rest/router.js';
import type { World } from '../world/world.js';
import { isControlPath, serveControl } from './serve-control.js';
import { serveGit } from './serve-git.js';
import { serveGraphQL } from './serve-graphql.js';
import { isLogPath, serveLogs } from './serve-logs.js';
import { serveRest } from './serve-rest.js';

/** Answers requests of browsers; false passes a request on to the API. */
export type Pages = (exchange: Exchange) => Promise<boolean>;
export type ServerParts = {
  world: World;
  router: Router;
  control: Control | undefined;
  pages: Pages | undefined;
};

export function createHandler(parts: ServerParts) {
  const running = new Set<Promise<void>>();
  return {
    handle: (request: IncomingMessage, response: ServerResponse): void => {
      const done = serve(parts, request, response).finally(() => running.delete(done));
      running.add(done);
    },
    /** Resolves when no request is being worked on. */
    settle: async (): Promise<void> => {
      while (running.size > 0) await Promise.allSettled(running);
    },
  };
}

async function serve(parts: ServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { world } = parts;
  const exchange = openExchange(world, request, response);
  if (!exchange) return void response.writeHead(400).end();
  try {
    await route(parts, exchange);
  } catch (error) {
    const failure = isHangUp(error) ? undefined : toFailure(world, exchange, error);
    // A client that went away in the middle of its request has nobody to blame and nothing to hear.
    if (!failure || response.destroyed) recordOnce(world, exchange, { ended: 'client-gone' });
    if (!failure || response.destroyed) return void response.destroy();
    const body = Buffer.from(JSON.stringify(failure.body));
    const wire = {
      status: failure.status,
      headers: { ...commonHeaders(world, undefined), 'content-type': 'application/json' },
      body,
    };
    recordOnce(world, exchange, response.headersSent ? { ended: 'dropped' } : { wire });
    if (response.headersSent) return void response.destroy();
    send(exchange, wire);
  }
}

/** Nothing is served without a line in the history, whatever went wrong on the way. */
function recordOnce(world: World, exchange: Exchange, end: End): void {
  if (!exchange.recorded && !isControlPath(exchange.path)) recordRequest(world, exchange, end);
}

async function route({ world, router, control, pages }: ServerParts, exchange: Exchange): Promise<void> {
  const { path, method } = exchange;
  if (control && isControlPath(path)) return serveControl(world, control, exchange);
  if (isLogPath(path)) return serveLogs(world, exchange);
  if (isGitPath(path)) return serveGit(world, exchange);
  if (method === 'POST' && (path === '/graphql' || path === '/api/graphql'))
    return serveGraphQL(world, exchange);
  if (await pages?.(exchange)) return;
  return serveRest(world, router, exchange);
}

/** A bug of the twin must fail the test that met it, whatever the client makes of a 500. */
function toFailure(world: World, exchange: Exchange, error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  world.history.record({ kind: 'violation', route: `${exchange.method} ${exchange.path}`, errors: [text] });
  return new ApiError(500, `The twin failed: ${text}`);
}
