import { get, type OutgoingHttpHeaders } from 'node:http';
import { type AppPage, serveAppPage } from './serve-app-page.js';

const MANIFEST = { name: '"><script>alert(1)</script>', url: "https://x.test/?a='b'&c" };

describe('the page that creates an App', () => {
  let page: AppPage;
  let given: { redirectUrl: string; state: string };
  const open = async (limitMs?: number) => {
    const describe = (redirectUrl: string, state: string) => {
      given = { redirectUrl, state };
      return { postUrl: `https://github.test/settings/apps/new?state=${state}`, manifest: MANIFEST };
    };
    page = await serveAppPage(describe, limitMs);
  };
  afterEach(() => page.close());

  type Answer = { status: number; body: string; headers: Record<string, unknown> };
  /** Unlike fetch, sends any host and any path. */
  const ask = (url: string, options: { headers?: OutgoingHttpHeaders; method?: string } = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const { origin } = new URL(page.address);
      const path = url.startsWith(origin) ? url.slice(origin.length) : url;
      const { port } = new URL(page.address);
      get({ host: '127.0.0.1', port, path, agent: false, ...options }, (response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body, headers: response.headers }),
        );
      }).on('error', reject);
    });
  const cookieOf = ({ headers }: Answer): OutgoingHttpHeaders => ({
    cookie: String(headers['set-cookie']).split(';')[0],
  });
  const back = (query: Record<string, string>, headers: OutgoingHttpHeaders = {}) =>
    ask(`/created?${new URLSearchParams(query)}`, { headers });

  it('accepts one code only, from the browser that opened the page', async () => {
    await open();
    expect(given.redirectUrl).toBe(`${new URL(page.address).origin}/created`);
    const shown = await ask(page.address);
    expect(shown.body).toContain(`action="https://github.test/settings/apps/new?state=${given.state}"`);
    const headers = cookieOf(shown);
    expect((await back({ code: 'abc', state: given.state }, headers)).status).toBe(200);
    expect(await page.code).toBe('abc');
    expect((await back({ code: 'other', state: given.state }, headers)).status).toBe(409);
    expect(await page.code).toBe('abc');
  });

  it('keeps the manifest inside its attribute, and allows no script or frame', async () => {
    await open();
    const { body, headers } = await ask(page.address);
    expect(body).not.toContain('<script');
    const [, value = ''] = /name="manifest" value="([^"]*)"/.exec(body) ?? [];
    const text = value.replace(/&#(\d+);/g, (_entity, code) => String.fromCharCode(Number(code)));
    expect(JSON.parse(text)).toEqual(MANIFEST);
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cache-control': 'no-store',
      'set-cookie': [expect.stringMatching(/HttpOnly; SameSite=Lax/)],
    });
  });

  it('refuses a wrong state, another browser and a malformed code, and stays usable', async () => {
    await open();
    const headers = cookieOf(await ask(page.address));
    const { state } = given;
    const code = 'abc';
    for (const [query, from] of [
      [{ code, state: '' }, headers],
      [{ code }, headers],
      [{ code, state: `${state}x` }, headers],
      [{ code, state: state.slice(1) }, headers],
      [{ code, state: 'ä'.repeat(state.length) }, headers],
      [{ code, state }, {}],
      [{ code, state }, { cookie: 'mergexo-app=wrong' }],
      [{ state }, headers],
      [{ code: '../../user', state }, headers],
      [{ code: 'a'.repeat(101), state }, headers],
      [{ code: 'a\nb', state }, headers],
    ] as const)
      expect((await back(query, from)).status).toBe(403);
    expect((await back({ code, state }, headers)).status).toBe(200);
    expect(await page.code).toBe(code);
  });

  it('shows the form only under the secret address, only to the first browser, and under no other host', async () => {
    await open();
    const { pathname, host } = new URL(page.address);
    const attempts: [string, { headers?: OutgoingHttpHeaders; method?: string }, number][] = [
      ['/', {}, 404],
      [pathname.slice(0, -1), {}, 404],
      [pathname, { headers: { host: 'evil.test' } }, 403],
      [pathname, { headers: { host: host.replace('127.0.0.1', 'localhost') } }, 403],
      [pathname, { method: 'POST' }, 405],
      ['http://[', {}, 400],
    ];
    for (const [path, options, status] of attempts) {
      const answer = await ask(path, options);
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.body).not.toContain(given.state);
    }
    const headers = cookieOf(await ask(pathname));
    expect((await ask(pathname)).status).toBe(403);
    expect((await ask(pathname, { headers })).status).toBe(200);
  });

  it('gives up when the time limit expires', async () => {
    await open(20);
    await expect(page.code).rejects.toMatchObject({ kind: 'timed-out' });
  });
});
