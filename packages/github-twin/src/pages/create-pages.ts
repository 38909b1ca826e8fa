import { createHash } from 'node:crypto';
import type { Exchange } from '../http/exchange.js';
import { isFresh, send } from '../http/send.js';
import type { Person } from '../people/people.js';
import type { Router } from '../rest/router.js';
import type { Pages } from '../server/server.js';
import type { World } from '../world/world.js';
import { isLoopback } from './forms/guard.js';
import { isFormPath, readForm, submit, toRefusal } from './forms/submit.js';
import { createAssets, isAssetPath } from './parts/assets.js';
import { html } from './parts/html.js';
import { type Page, renderPage, renderProblem } from './parts/layout.js';
import { showPage } from './routes.js';
import type { PageContext } from './visit/page-context.js';
import { readVisitor, setCookie } from './visit/visitor.js';

export type PagesHost = { world: World; router: Router; as(login: string): Person };

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Not `no-referrer`: browsers would hide where a form comes from, and it would be refused.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** GitHub's pages, for people with a browser, beside the API. A page that is looked at is no request to the API. */
export function createPages(host: PagesHost): Pages {
  const findAsset = createAssets(host.world);
  return async (exchange) => {
    if (!isOurs(host, exchange)) return false;
    if (!isLoopback(exchange.request.headers)) {
      reply(exchange, 403, 'text/plain; charset=utf-8', 'These pages are for this machine alone.\n');
      return true;
    }
    const asset = exchange.method === 'GET' ? findAsset(exchange.path) : undefined;
    if (asset) reply(exchange, 200, asset.type, asset.body);
    else await servePage(host, exchange);
    return true;
  };
}

/** What a browser asks for. Whatever is a route of the API stays one, and so does whatever brings a token. */
function isOurs({ world, router }: PagesHost, { request, method, path, api }: Exchange): boolean {
  if (api !== world.url || request.headers.authorization !== undefined) return false;
  if (isAssetPath(path)) return true;
  if (path !== '/' && router.match(method, path)) return false;
  if (method === 'GET') return request.headers.accept?.includes('text/html') ?? false;
  return method === 'POST' && isFormPath(path);
}

async function servePage(host: PagesHost, exchange: Exchange): Promise<void> {
  const { world } = host;
  const { request, path, query, method } = exchange;
  const visitor = readVisitor(world, request.headers);
  const context: PageContext = { world, visitor, path, query };
  const cookie = visitor.isNew && { 'set-cookie': setCookie(world, visitor.cookie) };
  let form: URLSearchParams | undefined;
  try {
    if (method === 'POST') {
      form = await readForm(context, request);
      const done = await submit(context, form, host.as);
      return redirect(exchange, done.path, done.cookie === undefined ? {} : { 'set-cookie': done.cookie });
    }
    const shown = await showPage(context);
    if (shown.kind === 'elsewhere') return redirect(exchange, shown.path, { ...cookie });
    replyPage(exchange, renderPage(context, shown.page), shown.page.status ?? 200, { ...cookie });
  } catch (error) {
    const refusal = toRefusal(error);
    if (!refusal) throw error;
    // A refused POST has no page of its own to come back to: the form's links would lead to its address.
    const safe = method === 'GET' ? context : { ...context, path: '/', query: new URLSearchParams() };
    const page = problemPage(refusal, form?.get('body') ?? '');
    replyPage(exchange, renderPage(safe, page), refusal.status, { ...cookie });
  }
}

/** What was refused, with the words that were written: nobody should have to write them twice. */
function problemPage({ status, words }: { status: number; words: string }, written: string): Page {
  const title = status === 404 ? 'This is not the page you are looking for' : 'That did not work';
  const text =
    written.trim() !== '' &&
    html`<label for="written">What you wrote</label><textarea id="written" rows="8" readonly dir="auto">${written}</textarea>`;
  return { title, body: renderProblem(title, words, text) };
}

function replyPage(exchange: Exchange, page: string, status: number, more: Record<string, string>): void {
  const etag = `"${createHash('sha256').update(page).digest('hex')}"`;
  const same = exchange.method === 'GET' && status === 200 && isFresh(exchange, etag);
  reply(exchange, same ? 304 : status, 'text/html; charset=utf-8', same ? '' : page, { etag, ...more });
}

function redirect(exchange: Exchange, path: string, more: Record<string, string>): void {
  reply(exchange, 303, 'text/plain; charset=utf-8', '', { location: path, ...more });
}

function reply(
  exchange: Exchange,
  status: number,
  type: string,
  body: string,
  more: Record<string, string> = {},
): void {
  const headers = { ...HEADERS, 'content-type': type, ...more };
  send(exchange, { status, headers, body: Buffer.from(body) });
}
