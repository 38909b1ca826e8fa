import type { Request } from 'express';
import { renderPage } from '../pages/layout.js';
import type { RouteTools } from '../routes/route-tools.js';
import { readTurnDetails, readTurnSteps } from './read-turn.js';
import type { StepFeed } from './step-feed.js';
import { renderTurn } from './turn-page.js';

const TURN_KEY = /^[0-9a-f]{64}$/;
const STEP_ID = /^\d{1,15}$/;

/** Adds the page of a turn, and the stream of its new steps. */
export function addTurnRoutes({ app, reader, links }: RouteTools, feed: StepFeed): void {
  app.get('/turns/:turnKey', (request, response, next) => {
    const turnKey = readKey(request);
    if (turnKey === undefined) return next();
    const { chrome, data } = reader.readPage((facts) => {
      const details = readTurnDetails(facts, turnKey);
      return details && { details, steps: readTurnSteps(facts, turnKey) };
    });
    if (data === undefined) return next();
    const { details, steps } = data;
    const title = `${details.repo}#${details.pr ?? details.issue}`;
    const main = renderTurn(details, steps, links);
    response.send(renderPage({ title, script: '/assets/turn.js', chrome, main }));
  });
  app.get('/turns/:turnKey/events', (request, response, next) => {
    const turnKey = readKey(request);
    if (!turnKey || !reader.readState((facts) => readTurnDetails(facts, turnKey))) return next();
    response.type('text/event-stream').setHeader('X-Accel-Buffering', 'no');
    if (request.method === 'HEAD') return void response.end();
    if (feed.open({ turnKey, cursor: readCursor(request), response })) {
      response.write('retry: 2000\n\n');
      return;
    }
    response.status(503).setHeader('Retry-After', '10');
    response.type('text/plain').send('Service unavailable: too many pages show live steps. Close some.\n');
  });
}

function readKey({ params }: Request): string | undefined {
  const key = String(params['turnKey']);
  return TURN_KEY.test(key) ? key : undefined;
}

/**
 * Returns the last step that the browser has: from the `Last-Event-ID` header after a reconnect, otherwise from the
 * `after` parameter of the URL.
 */
function readCursor({ headers, url }: Request): number {
  const seen = headers['last-event-id'] ?? new URL(url, 'http://localhost').searchParams.get('after') ?? '';
  return STEP_ID.test(String(seen)) ? Number(seen) : 0;
}
