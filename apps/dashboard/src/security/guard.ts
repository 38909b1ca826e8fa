import { MERGEXO_CLI } from '@mergexo/core/basics';
import type { Handler, Request, Response } from 'express';
import type { DashboardConfig } from '../config.js';
import { isAllowedHost } from './check-host.js';
import { isOwnOrigin } from './check-origin.js';
import { isPassword } from './check-password.js';
import { type GuessLimit, toClient } from './guess-limit.js';
import type { Sessions } from './session.js';

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/** Bull Board needs inline styles and a base URL. Third-party fonts and inline scripts remain blocked. */
const BOARD_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'self'; frame-ancestors 'none'";

/** Probes need no password, because they reveal only whether the dashboard is ready. */
const OPEN_PATHS = ['/healthz', '/readyz'];

export type Guard = { sessions: Sessions; guesses: GuessLimit };

/** Checks host, password, method, origin and session before every route. */
export function createGuard(
  { config, password }: Pick<DashboardConfig, 'config' | 'password'>,
  { sessions, guesses }: Guard,
): Handler {
  const { host, allowedHosts } = config.dashboard;
  return (request, response, next) => {
    setHeaders(response, request.path);
    if (!isAllowedHost(request.headers.host, [host, ...allowedHosts])) {
      refuse(
        response,
        403,
        'Forbidden: this host name is not allowed. To allow it, add it to dashboard.allowed_hosts.',
      );
      return;
    }
    if (!request.url?.startsWith('/')) {
      refuse(response, 400, 'Bad request: the request target must start with /.');
      return;
    }
    if (OPEN_PATHS.includes(request.path) && isRead(request)) return next();
    const { localPort, remoteAddress } = request.socket;
    const session = sessions.read(request.headers.cookie, localPort);
    // A browser that logged in before has its own limit, so nobody at the same address can lock it out.
    const client = session ?? toClient(remoteAddress);
    if (password !== undefined && !admit({ request, response, guesses, client, password })) return;
    if (isRead(request)) {
      response.locals['session'] = session ?? openSession(sessions, localPort, response);
      return next();
    }
    if (!mayWrite(request, response, session)) return;
    response.locals['session'] = session;
    next();
  };
}

/** Checks the password. After too many guesses, refuses even the right one, to make guessing useless. */
function admit(about: {
  request: Request;
  response: Response;
  guesses: GuessLimit;
  client: string;
  password: string;
}): boolean {
  const { request, response, guesses, client, password } = about;
  const { authorization } = request.headers;
  const waitMs = authorization === undefined ? 0 : guesses.waitMs(client);
  if (waitMs > 0) {
    const seconds = Math.ceil(waitMs / 1_000);
    response.setHeader('Retry-After', String(seconds));
    refuse(response, 429, `Too many requests: too many wrong passwords. Try again in ${seconds} s.`);
    return false;
  }
  if (isPassword(authorization, password)) return true;
  // A browser's first request has no password and is not a guess.
  if (authorization !== undefined) guesses.countWrong(client);
  response.setHeader('WWW-Authenticate', 'Basic realm="MergeXO", charset="UTF-8"');
  refuse(
    response,
    401,
    'Unauthorized: enter the value of MERGEXO_DASHBOARD_PASSWORD as the password. Any user name works.',
  );
  return false;
}

function mayWrite(request: Request, response: Response, session: string | undefined): boolean {
  if (request.method !== 'POST' || isBoard(request.path)) {
    response.setHeader('Allow', 'GET, HEAD');
    refuse(response, 405, 'Method not allowed: this page is read-only.');
    return false;
  }
  if (!isOwnOrigin(request.headers)) {
    refuse(response, 403, 'Forbidden: the request came from another site. Nothing was changed.');
    return false;
  }
  if (session !== undefined) return true;
  refuse(
    response,
    403,
    'Forbidden: this request has no valid session. Nothing was changed. Open the dashboard in a browser with cookies ' +
      `enabled and submit the form there, or run \`${MERGEXO_CLI} feedback blocked reset\`.`,
  );
  return false;
}

function openSession(sessions: Sessions, port: number | undefined, response: Response): string {
  const { id, cookie } = sessions.issue(port);
  response.setHeader('Set-Cookie', cookie);
  return id;
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

function setHeaders(response: Response, path: string): void {
  const headers = {
    'Content-Security-Policy': isBoard(path) ? BOARD_POLICY : PAGE_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    // With `no-referrer`, browsers would also hide the origin of our own forms.
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** True for Bull Board's paths. Ignores case, as Express routes do. */
function isBoard(path: string): boolean {
  return /^\/queues(\/|$)/i.test(path);
}

function refuse(response: Response, status: number, text: string): void {
  response.status(status).type('text/plain').send(`${text}\n`);
}
