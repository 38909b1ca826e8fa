import { setTimeout as sleep } from 'node:timers/promises';
import type { Handler, Response } from 'express';
import type { DashboardConfig } from '../config.js';
import { isAllowedHost } from './check-host.js';
import { isOwnOrigin } from './check-origin.js';
import { isPassword } from './check-password.js';

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/** Bull Board needs inline styles and a base URL. Foreign fonts and inline scripts stay forbidden. */
const BOARD_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'self'; frame-ancestors 'none'";

/** Probes need no password, because they reveal only whether the dashboard is ready. */
const OPEN_PATHS = ['/healthz', '/readyz'];
const WRONG_PASSWORD_MS = 500;

/** Checks host, password, method and origin before every route. */
export function createGuard({ config, password }: Pick<DashboardConfig, 'config' | 'password'>): Handler {
  const { host, allowedHosts } = config.dashboard;
  return async (request, response, next) => {
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
    const isOpen = OPEN_PATHS.includes(request.path);
    if (password !== undefined && !isOpen && !isPassword(request.headers.authorization, password)) {
      // The delay slows down guessing. A browser's first request has no password and is not delayed.
      if (request.headers.authorization !== undefined) await sleep(WRONG_PASSWORD_MS);
      response.setHeader('WWW-Authenticate', 'Basic realm="MergeXO", charset="UTF-8"');
      refuse(
        response,
        401,
        'Unauthorized: enter the value of MERGEXO_DASHBOARD_PASSWORD as the password. Any user name works.',
      );
      return;
    }
    if (request.method === 'GET' || request.method === 'HEAD') return next();
    if (request.method !== 'POST' || isBoard(request.path)) {
      response.setHeader('Allow', 'GET, HEAD');
      refuse(response, 405, 'Method not allowed: this page is read-only.');
      return;
    }
    if (!isOwnOrigin(request.headers)) {
      refuse(response, 403, 'Forbidden: the request came from another site. Nothing was changed.');
      return;
    }
    next();
  };
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
