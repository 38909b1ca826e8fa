import { setTimeout as sleep } from 'node:timers/promises';
import type { Handler, Response } from 'express';
import type { DashboardConfig } from '../config.js';
import { isAllowedHost } from './check-host.js';
import { isOwnOrigin } from './check-origin.js';
import { isPassword } from './check-password.js';

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
/** Bull Board sets styles from its scripts and names its base; it gets no foreign fonts and no inline script either. */
const BOARD_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'self'; frame-ancestors 'none'";

/** Probes have no password and learn nothing but yes or no. */
const OPEN_PATHS = ['/healthz', '/readyz'];
const WRONG_PASSWORD_MS = 500;

/** Stands before everything: whose names we answer to, who may read, and from where something may be asked for. */
export function createGuard({ config, password }: Pick<DashboardConfig, 'config' | 'password'>): Handler {
  const { host, allowedHosts } = config.dashboard;
  return async (request, response, next) => {
    setHeaders(response, request.path);
    if (!isAllowedHost(request.headers.host, [host, ...allowedHosts])) {
      refuse(
        response,
        403,
        'This name is not one of ours. If it should be, add it to dashboard.allowed_hosts.',
      );
      return;
    }
    if (!request.url?.startsWith('/')) {
      refuse(response, 400, 'Ask for a path.');
      return;
    }
    const isOpen = OPEN_PATHS.includes(request.path);
    if (password !== undefined && !isOpen && !isPassword(request.headers.authorization, password)) {
      // Guessing is slow; asking without one, as every browser does first, is not.
      if (request.headers.authorization !== undefined) await sleep(WRONG_PASSWORD_MS);
      response.setHeader('WWW-Authenticate', 'Basic realm="MergeXO", charset="UTF-8"');
      refuse(response, 401, 'The password of MERGEXO_DASHBOARD_PASSWORD is needed, under any name.');
      return;
    }
    if (request.method === 'GET' || request.method === 'HEAD') return next();
    if (request.method !== 'POST' || isBoard(request.path)) {
      response.setHeader('Allow', 'GET, HEAD');
      refuse(response, 405, 'Here one can only look.');
      return;
    }
    if (!isOwnOrigin(request.headers)) {
      refuse(response, 403, 'This came from another site; nothing was done.');
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
    // Not `no-referrer`: with that, browsers hide the origin of our own forms too.
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** Express matches without regard to capitals, so this does too. */
function isBoard(path: string): boolean {
  return /^\/queues(\/|$)/i.test(path);
}

function refuse(response: Response, status: number, words: string): void {
  response.status(status).type('text/plain').send(`${words}\n`);
}
