import {
  addBlocked,
  addRepository,
  ask,
  createDashboardStage,
  type DashboardStage,
  loadForm,
} from '../fleet/dashboard-stage.js';

const PASSWORD = 'correct horse battery';
const FORM = '/unblock/o/n/7';
const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}`,
});

let stage: DashboardStage;
let base: string;
let locked: string;
beforeAll(async () => {
  stage = await createDashboardStage();
  stage.edit((state) => {
    addRepository(state);
    addBlocked(state, 7);
    addBlocked(state, 8);
  });
  base = await stage.startDashboard();
  locked = await stage.startDashboard({ MERGEXO_DASHBOARD_PASSWORD: PASSWORD });
});
afterAll(async () => {
  const statuses = stage.edit((state) => [7, 8].map((pull) => state.readPull(1, pull)?.status));
  await stage.close();
  expect(statuses).toEqual(['blocked', 'blocked']);
});

describe('on loopback without a password, a program', () => {
  const post = (headers: Record<string, string>, form: Record<string, string> = {}) =>
    ask(base, FORM, { headers, form: { head_sha: '', ...form } });

  it('posts without loading a page and is refused, with instructions', async () => {
    const answer = await post({});
    expect([answer.status, answer.body]).toEqual([
      403,
      expect.stringContaining('Open the dashboard in a browser'),
    ]);
    expect(answer.body).toContain('npx mergexo feedback blocked reset');
    expect(answer.headers).not.toHaveProperty('set-cookie');
  });

  it('posts the token of a loaded page without its session and is refused', async () => {
    const { form } = await loadForm(base, FORM);
    expect((await post({}, form)).status).toBe(403);
  });

  it('posts the session without a token and is refused', async () => {
    const { headers } = await loadForm(base, FORM);
    expect((await post(headers)).status).toBe(403);
  });

  it('posts the token of one session in another session and is refused', async () => {
    const [mine, other] = [await loadForm(base, FORM), await loadForm(base, FORM)];
    expect(mine.headers.cookie).not.toBe(other.headers.cookie);
    expect((await post(other.headers, mine.form)).status).toBe(403);
  });

  it('posts the token of another pull request and is refused', async () => {
    const { form, headers } = await loadForm(base, '/unblock/o/n/8');
    expect((await post(headers, form)).status).toBe(403);
  });

  it('replays the token and session against another dashboard and is refused', async () => {
    const { form, headers } = await loadForm(base, FORM);
    const answer = await ask(locked, FORM, { headers: { ...headers, ...basic(PASSWORD) }, form });
    expect(answer.status).toBe(403);
  });

  it.each<[string, (cookie: string) => string]>([
    ['an empty cookie', () => ''],
    ['an invented session', (cookie) => cookie.replace(/=.*/, `=${'0'.repeat(32)}.${'0'.repeat(64)}`)],
    ['a session without its signature', (cookie) => cookie.replace(/\..*/, '')],
    ['a session with an empty signature', (cookie) => cookie.replace(/\..*/, '.')],
    ['a session with an empty id', (cookie) => cookie.replace(/=\w+\./, '=.')],
    [
      'a session with one changed digit',
      (cookie) => cookie.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    ],
    ['a session under another name', (cookie) => `x${cookie}`],
    ['a session for another port', (cookie) => cookie.replace(/\d+=/, '1=')],
    ['a 15 KB session cookie', (cookie) => `${cookie}${'0'.repeat(15_000)}`],
  ])('posts with %s and is refused', async (_title, change) => {
    const { form, headers } = await loadForm(base, FORM);
    expect((await post({ cookie: change(headers.cookie) }, form)).status).toBe(403);
  });

  it.each([
    ['another site', { origin: 'http://evil.example' }],
    ['an opaque origin (null)', { origin: 'null' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['a host name that only starts with ours', { origin: 'http://127.0.0.1.evil.example' }],
    ['an origin that is not a URL', { origin: 'evil' }],
    ['two origins', { origin: 'http://127.0.0.1 http://evil.example' }],
    ['a cross-site fetch', { 'sec-fetch-site': 'cross-site' }],
    ['a same-site fetch', { 'sec-fetch-site': 'same-site' }],
    ['a direct navigation (Sec-Fetch-Site: none)', { 'sec-fetch-site': 'none' }],
    ['a rebound host name', { host: 'evil.example' }],
    ['a rebound host name with our port', { host: 'evil.example:7420' }],
    ['a host name that contains ours', { host: '127.0.0.1.evil.example' }],
    ['a user name in the host', { host: '127.0.0.1@evil.example' }],
  ])('posts the token and session from %s and is refused', async (_title, foreign) => {
    const { form, headers } = await loadForm(base, FORM);
    const answer = await post({ ...headers, ...foreign }, form);
    expect([answer.status, answer.body]).toEqual([403, expect.stringMatching(/another site|host name/)]);
  });

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'LINK'])(
    'sends the token and session with the method %s, and nothing changes',
    async (method) => {
      const { form, headers } = await loadForm(base, FORM);
      const query = new URLSearchParams({ ...form, head_sha: '' });
      const answer = await ask(base, `${FORM}?${query}`, { method, headers });
      expect(answer.status).toBe(['GET', 'HEAD'].includes(method) ? 200 : 405);
    },
  );

  it.each([
    ['as plain text', { 'content-type': 'text/plain' }],
    ['as JSON', { 'content-type': 'application/json' }],
    ['with a method override', { 'x-http-method-override': 'POST', 'content-type': 'text/plain' }],
  ])('posts the form %s and is refused', async (_title, more) => {
    const { form, headers } = await loadForm(base, FORM);
    expect((await post({ ...headers, ...more }, form)).status).toBe(403);
  });

  it.each([
    ['POST', '/healthz'],
    ['POST', '/readyz'],
    ['POST', '/metrics'],
    ['POST', '/'],
    ['POST', '/nothing'],
    ['DELETE', '/healthz'],
  ])('sends %s to %s without a session and is refused', async (method, path) => {
    expect((await ask(base, path, { method })).status).toBe(method === 'POST' ? 403 : 405);
  });

  it.each([
    ['PUT', 'turns/pause'],
    ['PUT', 'turns/resume'],
    ['PUT', 'turns/empty'],
    ['PUT', 'turns/obliterate'],
    ['PUT', 'turns/clean/failed'],
    ['PUT', 'turns/retry/failed'],
    ['PUT', 'turns/promote'],
    ['POST', 'turns/add'],
    ['PUT', 'turns/1/retry'],
    ['PUT', 'turns/1/clean'],
    ['PATCH', 'turns/1/update-data'],
    ['PUT', 'ledger/empty'],
    ['POST', 'ledger/add'],
  ])("sends Bull Board's %s %s, even with a session, and is refused", async (method, path) => {
    const { headers } = await loadForm(base, FORM);
    for (const prefix of ['/queues', '/QUEUES', '/queues/']) {
      expect((await ask(base, `${prefix}/api/queues/${path}`, { method, headers })).status).toBe(405);
    }
  });
});

describe('at a dashboard with a password, a client', () => {
  it('posts the token and session without the password and is refused', async () => {
    const { form, headers } = await loadForm(locked, FORM, basic(PASSWORD));
    expect((await ask(locked, FORM, { form, headers: { cookie: headers.cookie } })).status).toBe(401);
  });

  it.each(['/', FORM, '/healthz', '/assets/refresh.js'])(
    'asks for %s without the password and gets no session',
    async (path) => expect((await ask(locked, path)).headers).not.toHaveProperty('set-cookie'),
  );

  it('learns from /readyz only whether the dashboard is ready', async () => {
    expect((await ask(locked, '/readyz')).body).toMatch(/^(?:not )?ready\n$/);
  });
});
