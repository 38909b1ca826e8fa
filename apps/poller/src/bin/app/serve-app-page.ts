import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Failure } from '@mergexo/core/basics';
import { renderAppPage, renderNote } from './render-app-page.js';

/** A code that GitHub exchanges once for the App's key. */
const CODE = /^[\w-]{1,100}$/;
const COOKIE = 'mergexo-app';
/** GitHub allows an hour from the first page to the exchange of the code. */
const LIMIT_MS = 55 * 60_000;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // No `form-action`: browsers also apply it to redirects, and an organisation may sign people in on another host.
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

export type AppPage = {
  /** Contains a secret, so that other users of this machine cannot open the page. */
  address: string;
  /** Resolves with the code from GitHub, and fails when the time limit expires. */
  code: Promise<string>;
  close(): Promise<void>;
};

type Form = { postUrl: string; manifest: object };

/**
 * Serves the page that sends a person to GitHub, and waits for the person to come back with a code. `describe` gets the
 * address to which GitHub redirects and the state that GitHub must send back, and returns the form's content.
 */
export async function serveAppPage(
  describe: (redirectUrl: string, state: string) => Form,
  limitMs = LIMIT_MS,
): Promise<AppPage> {
  const [path, state, cookie] = [0, 1, 2].map(() => randomBytes(32).toString('base64url'));
  const server = createServer({ headersTimeout: 10_000, requestTimeout: 10_000 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  const origin = `http://127.0.0.1:${port}`;
  const secrets = { path: `/${path}`, state: state ?? '', cookie: cookie ?? '' };
  const form = describe(`${origin}/created`, secrets.state);
  const code = new Promise<string>((resolve, reject) => {
    const late = new Failure(
      'timed-out',
      `Nobody finished creating the App within ${limitMs / 60_000} minutes.`,
    );
    const timer = setTimeout(() => reject(late), limitMs);
    server.on('close', () => clearTimeout(timer));
    server.on('request', answerWith({ port, secrets, form, resolve }));
  });
  // The caller may close the page before it waits for the code.
  code.catch(() => {});
  return {
    address: `${origin}${secrets.path}`,
    code,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type Desk = { port: number; secrets: { path: string; state: string; cookie: string }; form: Form };

/** `code` is set only once, by the genuine redirect from GitHub. */
type Reply = { status: number; body: string; cookie?: string; code?: string };

function answerWith({ resolve, ...desk }: Desk & { resolve: (code: string) => void }) {
  const choose = createChoice(desk);
  return (request: IncomingMessage, response: ServerResponse): void => {
    const { status, body, cookie, code } = choose(request);
    const setCookie = cookie === undefined ? {} : { 'set-cookie': cookie };
    response.writeHead(status, { ...HEADERS, ...setCookie, connection: 'close' }).end(body);
    if (code !== undefined) resolve(code);
  };
}

const refuse = (status: number, text: string): Reply => ({ status, body: renderNote('Not possible', text) });

/** Only the browser that opened the page first can continue, because only that browser gets the cookie. */
function createChoice({ port, secrets, form }: Desk): (request: IncomingMessage) => Reply {
  let isOpened = false;
  let isDone = false;
  return (request) => {
    const { method, url = '', headers } = request;
    // Another site can point its own host name at this machine (DNS rebinding).
    if (headers.host !== `127.0.0.1:${port}`) return refuse(403, 'Open the address that MergeXO printed.');
    if (method !== 'GET') return refuse(405, 'This page accepts only GET.');
    if (!URL.canParse(url, 'http://localhost')) return refuse(400, 'The address is malformed.');
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const isSameBrowser = equals(readCookie(request), secrets.cookie);
    if (equals(pathname, secrets.path)) {
      if (isOpened && !isSameBrowser)
        return refuse(403, 'Another browser opened this page before. Run the command again for a new page.');
      isOpened = true;
      const cookie = `${COOKIE}=${secrets.cookie}; HttpOnly; SameSite=Lax; Path=/`;
      return { status: 200, body: renderAppPage(form), cookie };
    }
    if (pathname !== '/created') return refuse(404, 'There is no such page.');
    const code = searchParams.get('code') ?? '';
    const isGenuine = equals(searchParams.get('state') ?? '', secrets.state) && isSameBrowser;
    if (!isGenuine || !CODE.test(code))
      return refuse(403, 'This request does not come from the page that MergeXO opened. Start there again.');
    if (isDone) return refuse(409, 'The App was already created.');
    isDone = true;
    const text = 'MergeXO now fetches the key of the App. Continue in the terminal.';
    return { status: 200, body: renderNote('Almost done', text), code };
  };
}

function readCookie({ headers }: IncomingMessage): string {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([name]) => name === COOKIE)?.[1] ?? '';
}

/** Compares without revealing how much of the text is right. */
function equals(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
