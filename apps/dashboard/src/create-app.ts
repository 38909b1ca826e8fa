import { STATUS_CODES } from 'node:http';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '@mergexo/config';
import { Failure, type Log } from '@mergexo/core/basics';
import express, { type ErrorRequestHandler, type Express, type Handler } from 'express';
import type { DashboardConfig } from './config.js';
import { createReader, type Reader } from './create-reader.js';
import { createFormHandlers } from './operator/create-form-handlers.js';
import { createSteerForm } from './operator/steer-form.js';
import { createUnblockForm } from './operator/unblock-form.js';
import { renderMessage } from './pages/layout.js';
import { createLinks } from './pages/links.js';
import { createBoard } from './queues/create-board.js';
import type { RedisConnection } from './queues/create-redis-connection.js';
import { redactResponses } from './redact-responses.js';
import { renderMetrics } from './render-metrics.js';
import { addActivityPage } from './routes/activity.js';
import { addCostPages } from './routes/costs.js';
import { addHomePage } from './routes/home.js';
import { addIssuePage } from './routes/issue.js';
import { addIssueList } from './routes/issue-list.js';
import { addRepositoriesPage } from './routes/repositories.js';
import type { RouteTools } from './routes/route-tools.js';
import { addWorkersPage } from './routes/workers.js';
import { createGuard } from './security/guard.js';
import { createGuessLimit } from './security/guess-limit.js';
import { createSessions } from './security/session.js';
import { addTurnRoutes } from './turns/add-turn-routes.js';
import { createStepFeed } from './turns/step-feed.js';

const ASSETS = [
  'dashboard.css',
  'refresh.js',
  'shortcuts.js',
  'theme.js',
  'turn.js',
  'turn.css',
  'icon.svg',
  'icon-attention.svg',
  'icon-running.svg',
  'icon-trouble.svg',
];
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

  const tools: RouteTools = { app, reader, links };
  addHomePage(tools);
  addIssueList(tools);
  addIssuePage(tools);
  const { redact } = settings;
  const feed = createStepFeed({ readState: reader.readState, links, redact, now, log });
  addTurnRoutes(tools, feed);
  addWorkersPage(tools);
  addRepositoriesPage(tools);
  addCostPages(tools);
  addActivityPage(tools);
  const handle = createFormHandlers(settings, { reader, log });
  addForm(app, '/unblock/:owner/:name/:number', handle(createUnblockForm({ reader, links })));
  const steer = handle(createSteerForm({ reader }));
  for (const scope of ['', '/:owner/:name', '/:owner/:name/:number'])
    addForm(app, `/steer/:order${scope}`, steer);
  app.use(BOARD, createBoard(BOARD, config.redis.keyPrefix, connection));

  app.use(createNotFound(reader));
  app.use(createErrorHandler(log));
  return app;
}

function addForm(
  app: Express,
  path: string,
  { showForm, submit }: { showForm: Handler; submit: Handler },
): void {
  app.get(path, showForm);
  app.post(path, express.urlencoded({ extended: false, limit: '4kb' }), submit);
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

function createNotFound(reader: Reader): Handler {
  return (_request, response) => {
    const { chrome } = reader.readPage(() => undefined);
    const text = 'The URL is wrong, or the poller has not polled this issue yet.';
    response.status(404).send(renderMessage('Page not found', text, chrome));
  };
}

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
