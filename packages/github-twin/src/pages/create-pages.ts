import { createHash } from 'node:crypto';
import { type Exchange, LOOPBACK, readText } from '../http/exchange.js';
import { isFresh, send } from '../http/send.js';
import type { Person } from '../people/people.js';
import type { Router } from '../rest/router.js';
import type { Pages } from '../server/server.js';
import type { World } from '../world/world.js';
import { isAppFormPath, isNewAppPath, showNewApp, submitAppForm } from './apps/app-pages.js';
import { checkSender, isFormPath, submit, toRefusal } from './forms/submit.js';
import { findAsset, isAssetPath } from './parts/assets.js';
import { html } from './parts/html.js';
import { type Page, renderPage, renderProblem } from './parts/layout.js';
import { type PageContext, readVisitor } from './parts/page-context.js';
import { showPage } from './routes.js';

export type PagesHost = { world: World; router: Router; as(login: string): Person };

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // With `no-referrer`, browsers send no origin with a form, so `checkSender` would reject it.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/**
 * Browsers apply `form-action` to redirects too, and GitHub redirects a new App's owner to the program that asked for
 * the App.
 */
const LEAVING = HEADERS['content-security-policy'].replace("form-action 'self'; ", '');

const HTML = 'text/html; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';

/** Serves pages to browsers. The history does not record page views, because they are not API requests. */
export function createPages(host: PagesHost): Pages {
  return async (exchange) => {
    const { method, path, request } = exchange;
    if (!isOurs(host, exchange)) return false;
    const asset = method === 'GET' ? findAsset(host.world, path) : undefined;
    if (!LOOPBACK.test(request.headers.host ?? ''))
      reply(exchange, {
        status: 403,
        type: TEXT,
        body: 'These pages are available only on this machine, under a loopback name such as localhost.\n',
      });
    else if (asset) reply(exchange, { status: 200, ...asset });
    else await servePage(host, exchange);
    return true;
  };
}

/** True if the request is for a page. API routes and requests with a token are not. */
function isOurs({ world, router }: PagesHost, { request, method, path, api }: Exchange): boolean {
  if (api !== world.url || request.headers.authorization !== undefined) return false;
  if (isAssetPath(path)) return true;
  if (path !== '/' && router.match(method, path)) return false;
  if (method === 'GET') return request.headers.accept?.includes('text/html') ?? false;
  return method === 'POST' && (isFormPath(path) || isNewAppPath(path) || isAppFormPath(path));
}

async function servePage({ world, as }: PagesHost, exchange: Exchange): Promise<void> {
  const { request, path, query, method } = exchange;
  const context: PageContext = { world, visitor: readVisitor(world, request.headers), path, query };
  const form = new URLSearchParams(method === 'POST' ? await readText(request) : '');
  try {
    if (method === 'POST' && isNewAppPath(path)) {
      const headers = { 'content-security-policy': LEAVING };
      const body = renderPage(context, showNewApp(context, form));
      return reply(exchange, { status: 200, type: HTML, body, headers });
    }
    if (method === 'POST') {
      checkSender(request.headers);
      if (isAppFormPath(path)) return redirect(exchange, { path: submitAppForm(context, form) });
      return redirect(exchange, await submit(context, form, as));
    }
    const shown = await showPage(context);
    if (shown.kind === 'elsewhere') return redirect(exchange, shown);
    const body = renderPage(context, shown.page);
    const etag = `"${createHash('sha256').update(body).digest('hex')}"`;
    const status = isFresh(exchange, etag) ? 304 : 200;
    reply(exchange, { status, type: HTML, body, headers: { etag } });
  } catch (error) {
    const refusal = toRefusal(error);
    if (!refusal) throw error;
    // A POST URL has no page, so the links on the error page must not point to it.
    const safe = method === 'GET' ? context : { ...context, path: '/', query: new URLSearchParams() };
    const page = problemPage(refusal, form.get('body') ?? '');
    reply(exchange, { status: refusal.status, type: HTML, body: renderPage(safe, page) });
  }
}

/** Renders an error page with the submitted text, so that the visitor does not lose the text. */
function problemPage({ status, text: problem }: { status: number; text: string }, written: string): Page {
  const title = status === 404 ? 'Page not found' : 'Your change was not saved';
  const text =
    written.trim() !== '' &&
    html`<label for="written">What you wrote</label><textarea id="written" rows="8" readonly dir="auto">${written}</textarea>`;
  return { title, body: renderProblem(title, problem, text) };
}

function redirect(exchange: Exchange, { path, cookie }: { path: string; cookie?: string }): void {
  const headers = { location: path, ...(cookie !== undefined && { 'set-cookie': cookie }) };
  reply(exchange, { status: 303, type: TEXT, body: '', headers });
}

type Reply = { status: number; type: string; body: string; headers?: Record<string, string> };

function reply(exchange: Exchange, { status, type, body, headers: more }: Reply): void {
  const headers = { ...HEADERS, 'content-type': type, ...more };
  send(exchange, { status, headers, body: Buffer.from(body) });
}
