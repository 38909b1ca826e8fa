import { eventually, onlyWith } from '@mergexo/testkit';
import { ask, createDashboardStage, type DashboardStage, loadForm } from '../fleet/dashboard-stage.js';

const PASSWORD = 'correct horse battery';
const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}`,
});
const times = <T>(count: number, work: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => work(index));

const oneAddress = process.platform === 'linux' ? undefined : 'this system has one loopback address';
let stage: DashboardStage;
let locked: string;
beforeAll(async () => {
  stage = await createDashboardStage();
  locked = await stage.startDashboard({ MERGEXO_DASHBOARD_PASSWORD: PASSWORD });
});
afterAll(() => stage.close());

onlyWith(oneAddress).describe("a client that guesses the dashboard's password", describeGuesses);

/** Sends wrong passwords at once. Expects that the dashboard checks ten, and one more for every 6 s on a busy machine. */
async function expectTenChecked(guesses: number, send: (index: number) => Promise<number>): Promise<void> {
  const begun = performance.now();
  const statuses = await Promise.all(times(guesses, send));
  const checked = statuses.filter((status) => status === 401).length;
  expect(checked).toBeGreaterThanOrEqual(10);
  expect(checked).toBeLessThanOrEqual(10 + Math.floor((performance.now() - begun) / 6_000));
  expect(statuses.filter((status) => status === 429)).toHaveLength(guesses - checked);
}

/** Each test uses its own address, because each address has its own limit. */
function describeGuesses(): void {
  let last = 1;
  const newAddress = (): string => {
    last += 1;
    return `127.0.0.${last}`;
  };
  const guess = async (localAddress: string, password: string, headers = {}): Promise<number> =>
    (await ask(locked, '/', { localAddress, headers: { ...basic(password), ...headers } })).status;

  it('gets ten of 50 simultaneous guesses checked', async () => {
    const address = newAddress();
    await expectTenChecked(50, (index) => guess(address, `wrong ${index}`));
  });

  it('is refused even with the right password after 50 simultaneous guesses', async () => {
    const address = newAddress();
    await eventually(async () => {
      await Promise.all(times(50, (index) => guess(address, `wrong ${index}`)));
      expect(await guess(address, PASSWORD)).toBe(429);
    });
  });

  it('gets at most one more guess checked per 6 s if it sends 50 guesses one after the other', async () => {
    const address = newAddress();
    const begun = performance.now();
    const statuses: number[] = [];
    for (let index = 0; index < 50; index += 1) statuses.push(await guess(address, `wrong ${index}`));
    const allowed = 10 + Math.ceil((performance.now() - begun) / 6_000);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(allowed);
  });

  it.each([
    ['X-Forwarded-For', (index: number) => ({ 'x-forwarded-for': `10.0.0.${index}` })],
    ['Forwarded', (index: number) => ({ forwarded: `for=10.0.0.${index}` })],
    ['X-Real-IP', (index: number) => ({ 'x-real-ip': `10.0.0.${index}` })],
    [
      'an invented session',
      (index: number) => ({ cookie: `mergexo-session-${new URL(locked).port}=${index}.0` }),
    ],
    ['another User-Agent', (index: number) => ({ 'user-agent': `browser ${index}` })],
  ])('gets ten of 30 guesses checked, even if each has %s', async (_title, headersOf) => {
    const address = newAddress();
    await expectTenChecked(30, (index) => guess(address, `no ${index}`, headersOf(index)));
  });

  it.each(['/metrics', '/queues/', '/issues', '/assets/refresh.js', '/nothing'])(
    'gets ten of 30 guesses at %s checked',
    async (path) => {
      const localAddress = newAddress();
      await expectTenChecked(
        30,
        async (index) => (await ask(locked, path, { localAddress, headers: basic(`no ${index}`) })).status,
      );
    },
  );

  it.each([
    ['no colon', `Basic ${Buffer.from(PASSWORD).toString('base64')}`],
    ['another scheme', `Bearer ${PASSWORD}`],
    ['an empty password', 'Basic YWRhOg=='],
    ['a 4 KB header', `Basic ${'A'.repeat(4_000)}`],
    ['no base64', 'Basic !!!'],
  ])('gets ten of 30 malformed headers with %s checked', async (_title, authorization) => {
    const localAddress = newAddress();
    const headers = { authorization };
    await expectTenChecked(30, async () => (await ask(locked, '/', { localAddress, headers })).status);
  });

  it('cannot lock out other addresses or open sessions with 200 guesses', async () => {
    const address = newAddress();
    const { headers } = await loadForm(locked, '/', basic(PASSWORD));
    await Promise.all(times(200, (index) => guess(address, `wrong ${index}`)));
    expect(await guess(newAddress(), PASSWORD)).toBe(200);
    expect(await guess(address, PASSWORD, { cookie: headers.cookie })).toBe(200);
    expect((await ask(locked, '/healthz', { localAddress: address })).status).toBe(200);
  });

  it('has to wait at most 6 s after 200 guesses', async () => {
    const localAddress = newAddress();
    await eventually(async () => {
      await Promise.all(times(200, (index) => guess(localAddress, `wrong ${index}`)));
      const { headers } = await ask(locked, '/', { localAddress, headers: basic(PASSWORD) });
      expect(headers['retry-after']).toMatch(/^[1-6]$/);
    });
  });

  it('gets ten of 30 guesses checked within an open session', async () => {
    const address = newAddress();
    const { cookie } = (await loadForm(locked, '/', basic(PASSWORD))).headers;
    await expectTenChecked(30, (index) => guess(address, `wrong ${index}`, { cookie }));
  });

  it('can send 40 simultaneous requests with the right password, which do not count as guesses', async () => {
    const address = newAddress();
    const statuses = await Promise.all(times(40, () => guess(address, PASSWORD)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(40);
  });
}
