import { STATUS_CODES } from 'node:http';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '@mergexo/config';
import { Failure, type Log } from '@mergexo/core/basics';
import { redactStrings } from '@mergexo/core/text';
import express, { type ErrorRequestHandler, type Express, type Handler, type Request } from 'express';
import type { DashboardConfig } from './config.js';
import { createReader, type Reader } from './create-reader.js';
import { createUnblockHandlers } from './create-unblock-handlers.js';
import { readIssue } from './facts/read-issue.js';
import { render } from './html.js';
import { renderFleet } from './pages/fleet-page.js';
import { renderIssue } from './pages/issue-page.js';
import { renderMessage, renderPage } from './pages/layout.js';
import { createLinks } from './pages/links.js';
import { parseIssueParams } from './parse-issue-params.js';
import { createBoard } from './queues/create-board.js';
import type { RedisConnection } from './queues/create-redis-connection.js';
import { redactResponses } from './redact-responses.js';
import { renderMetrics } from './render-metrics.js';
import { createGuard } from './security/guard.js';
import { createGuessLimit } from './security/guess-limit.js';
import { createSessions } from './security/session.js';

const ASSETS = ['dashboard.css', 'refresh.js', 'icon.svg'];
const BOARD = '/queues';

/** Creates the app. Registers the guard first, so that it checks every request before any route handles it. */
export function createApp(
  settings: DashboardConfig,
  { connection, log }: { connection: RedisConnection; log: Log },
): Express {
  const now = (): number => Date.now();
  const { config } = settings;
  const reader = createReader(settings, { connection, log, now });
  const links = createLinks(config.github.apiUrl);
  const unblock = createUnblockHandlers(settings, { reader, links, now, log });

  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.use(
    createGuard(settings, { sessions: createSessions(), guesses: createGuessLimit(() => performance.now()) }),
  );
  app.use(redactResponses(settings.redact));
  addProbes(app, reader, { tellsReasons: settings.password === undefined });
  for (const name of ASSETS) app.get(`/assets/${name}`, serveAsset(name));
  // Browsers request this path for pages without an icon link, such as the metrics.
  app.get('/favicon.ico', serveAsset('icon.svg'));

  app.get('/', async (_request, response) => {
    const main = renderFleet(await reader.readFleet(), links);
    response.send(renderPage({ title: 'Overview', here: '/', live: '/live/fleet', main }));
  });
  app.get('/live/fleet', async (_request, response) => {
    response.send(render(renderFleet(await reader.readFleet(), links)));
  });
  const findIssue = (request: Request) => {
    const params = parseIssueParams(request.params);
    const issue = params && reader.readState((facts) => readIssue(facts, params.repo, params.number));
    return (
      issue && {
        issue: redactStrings(issue, settings.redact),
        isPullNumber: params !== undefined && params.number !== issue.issue,
      }
    );
  };
  app.get('/issues/:owner/:name/:number', (request, response, next) => {
    const found = findIssue(request);
    if (found === undefined) return next();
    const { repo, issue } = found.issue;
    if (found.isPullNumber) return response.redirect(302, `/issues/${repo}/${issue}`);
    const main = renderIssue(found.issue, links);
    response.send(renderPage({ title: `${repo}#${issue}`, live: `/live/issues/${repo}/${issue}`, main }));
  });
  app.get('/live/issues/:owner/:name/:number', (request, response, next) => {
    const found = findIssue(request);
    return found === undefined ? next() : response.send(render(renderIssue(found.issue, links)));
  });
  app.get('/unblock/:owner/:name/:number', unblock.showForm);
  app.post(
    '/unblock/:owner/:name/:number',
    express.urlencoded({ extended: false, limit: '4kb' }),
    unblock.submit,
  );
  app.use(BOARD, createBoard(BOARD, config.redis.keyPrefix, connection));

  app.use(serveNotFound);
  app.use(createErrorHandler(log));
  return app;
}

/** Health endpoints need no password. If a password is set, `/readyz` omits the reasons for a failure. */
function addProbes(app: Express, reader: Reader, { tellsReasons }: { tellsReasons: boolean }): void {
  app.get('/healthz', (_request, response) => response.type('text/plain').send('ok\n'));
  app.get('/readyz', async (_request, response) => {
    const missing = await reader.checkReadiness();
    const reasons = tellsReasons ? `: ${missing.join('; ')}` : '';
    const text = missing.length === 0 ? 'ready' : `not ready${reasons}`;
    response
      .status(missing.length === 0 ? 200 : 503)
      .type('text/plain')
      .send(`${text}\n`);
  });
  app.get('/metrics', async (_request, response) => {
    response.type('text/plain; version=0.0.4; charset=utf-8').send(renderMetrics(await reader.readMetrics()));
  });
}

const serveNotFound: Handler = (_request, response) => {
  response
    .status(404)
    .send(renderMessage('Page not found', 'The URL is wrong, or the poller has not polled this issue yet.'));
};

function serveAsset(name: string): Handler {
  const path = fileURLToPath(new URL(`../assets/${name}`, import.meta.url));
  return (_request, response) => response.sendFile(path);
}

/** Creates the error handler, which keeps stack traces and paths out of responses. The log contains them. */
function createErrorHandler(log: Log): ErrorRequestHandler {
  return (error, _request, response, next) => {
    if (response.headersSent) return next(error);
    if (error instanceof Failure || error instanceof ConfigError) {
      response.status(503).send(renderMessage('Service unavailable', error.message));
      return;
    }
    const status = readStatus(error);
    if (status >= 500) log.error({ err: error }, 'page failed with an unexpected error');
    const text =
      status >= 500
        ? "The dashboard's log has the details."
        : 'The dashboard cannot process this request. Go back and try again.';
    response
      .status(status)
      .send(
        renderMessage(
          status >= 500 ? 'Something went wrong' : `${status} ${STATUS_CODES[status] ?? 'Bad Request'}`,
          text,
        ),
      );
  };
}

/** Returns the 4xx status that Express sets on errors caused by the request, else 500. */
function readStatus(error: unknown): number {
  if (typeof error !== 'object' || error === null || !('status' in error)) return 500;
  const { status } = error;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : 500;
}
