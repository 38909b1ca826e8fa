import { request } from 'node:http';
import { ask } from '../testing/ask.js';
import { at, each } from '../testing/json-fields.js';
import { AT, REPO, startTestTwin, type Twin } from '../testing/test-twin.js';
import { waitFor } from '../testing/wait-for.js';

/** Sends a request without a token, as another process would. */
async function control({ url }: Twin, asked: string, body?: object) {
  const [method = 'GET', path = '/'] = asked.split(' ');
  const response = await fetch(`${url}/_twin/${path}`, {
    method,
    ...(body && { body: JSON.stringify(body) }),
  });
  const parsed: unknown = await response.json();
  return { status: response.status, body: parsed };
}

const startControlled = () => startTestTwin({ controlEndpoint: true });

describe('the control endpoint', () => {
  it('is disabled by default', async () => {
    const twin = await startTestTwin();
    expect((await control(twin, 'GET faults')).status).toBe(401);
  });

  it('sets, lists, releases and clears faults', async () => {
    const twin = await startControlled();
    const route = 'POST /repos/{owner}/{repo}/issues';
    const id = at((await control(twin, 'POST faults', { route, kind: 'hold' })).body, 'id');
    const held = ask(twin, `POST ${AT}/issues`, { body: { title: 'T' } });
    await waitFor(async () => at((await control(twin, `GET faults/${id}/hits`)).body, 'waiting') === 1);
    const [listed] = each((await control(twin, 'GET faults')).body);
    expect(listed).toMatchObject({ id, hits: 1, waiting: 1, fault: { route, kind: 'hold' } });
    await control(twin, `POST faults/${id}/release`);
    expect((await held).status).toBe(201);

    const status = async () => (await ask(twin, `GET ${AT}`)).status;
    const first = await control(twin, 'POST faults', { kind: 'error', status: 500, times: null });
    await control(twin, 'POST faults', { kind: 'error', status: 503, times: null });
    expect(await status()).toBe(500);
    await control(twin, `DELETE faults/${at(first.body, 'id')}`);
    expect(await status()).toBe(503);
    await control(twin, 'DELETE faults');
    expect(await status()).toBe(200);
  });

  it('advances the clock and never sets it back', async () => {
    const twin = await startControlled();
    const before = twin.world.clock.now();
    const { body } = await control(twin, 'POST clock', { advanceMs: 60_000 });
    expect(Number(at(body, 'now')) - before).toBeGreaterThanOrEqual(60_000);
    expect((await control(twin, 'POST clock', { advanceMs: -1 })).status).toBe(422);
  });

  it('starts and finishes a workflow run', async () => {
    const twin = await startControlled();
    const jobs = [{ name: 'test' }, { name: 'lint' }];
    const started = await control(twin, 'POST runs', { repo: REPO, branch: 'main', by: 'bob', jobs });
    const id = Number(at(started.body, 'id'));
    await control(twin, `POST runs/${id}/finish`, { conclusion: 'failure', job: 'lint', log: 'bad' });
    await control(twin, `POST runs/${id}/finish`, { conclusion: 'success' });
    const listed = (await ask(twin, `GET ${AT}/actions/runs/${id}/jobs`)).body;
    expect(each(at(listed, 'jobs'), 'conclusion')).toEqual(['success', 'failure']);
  });

  it('returns the history by kind or after an entry, without its own requests, and each user’s request count', async () => {
    const twin = await startControlled();
    await ask(twin, `POST ${AT}/issues`, { body: { title: 'T' } });
    const writes = (await control(twin, 'GET history?kind=write')).body;
    expect(new Set(each(writes, 'kind'))).toEqual(new Set(['write']));
    const seq = Number(at(writes, -1, 'seq'));
    expect(each((await control(twin, `GET history?after=${seq}`)).body, 'path')).toEqual([`${AT}/issues`]);
    expect(at((await control(twin, 'GET ledger/alice')).body, 'counted')).toBe(1);
  });

  it.each([
    ['POST faults', { kind: 'explode' }, 422],
    ['POST runs', { repo: REPO, branch: 'nowhere', by: 'bob' }, 422],
    ['GET faults/f99/hits', undefined, 404],
    ['GET nothing', undefined, 404],
  ])('rejects %s with the body %j, and gives a reason', async (asked, body, status) => {
    const refused = await control(await startControlled(), asked, body);
    expect(refused).toEqual({ status, body: { message: expect.any(String) } });
  });

  it.each([{ host: 'evil.example' }, { origin: 'http://evil.example' }])(
    'rejects a request from a web page that sends %j',
    async (headers) => {
      const { url } = await startControlled();
      const status = await new Promise((resolve, reject) => {
        const sent = request(`${url}/_twin/faults`, { headers }, (response) =>
          resolve(response.resume().statusCode),
        );
        sent.on('error', reject).end();
      });
      expect(status).toBe(403);
    },
  );
});
