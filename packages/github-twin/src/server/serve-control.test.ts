import { ask } from '../testing/ask.js';
import { at, each } from '../testing/json-fields.js';
import { AT, startTestTwin } from '../testing/test-twin.js';
import { waitFor } from '../testing/wait-for.js';

describe('the control endpoint', () => {
  it('does not exist unless asked for', async () => {
    const twin = await startTestTwin({ strict: false });
    expect((await ask(twin, 'GET /_twin/faults')).status).toBe(404);
  });

  it('arms, releases and clears faults, moves the clock and shows history and ledger', async () => {
    const twin = await startTestTwin({ controlEndpoint: true });
    const control = (request: string, body?: object) => ask(twin, request, body ? { body } : {});
    const route = 'POST /repos/{owner}/{repo}/issues';
    const armed = await control('POST /_twin/faults', { route, kind: 'hold' });
    const held = ask(twin, `POST ${AT}/issues`, { body: { title: 'T' } });
    const waiting = async () =>
      at((await control(`GET /_twin/faults/${at(armed.body, 'id')}/hits`)).body, 'waiting');
    await waitFor(async () => (await waiting()) === 1);
    await control(`POST /_twin/faults/${at(armed.body, 'id')}/release`, {});
    expect((await held).status).toBe(201);
    await control('POST /_twin/faults', { kind: 'error', status: 500, times: null });
    expect((await ask(twin, `GET ${AT}`)).status).toBe(500);
    await control('DELETE /_twin/faults');
    expect((await ask(twin, `GET ${AT}`)).status).toBe(200);
    const before = twin.world.clock.now();
    await control('POST /_twin/clock', { advanceMs: 60_000 });
    expect(twin.world.clock.now() - before).toBeGreaterThanOrEqual(60_000);
    const writes = await control('GET /_twin/history?kind=write&after=0');
    expect(each(writes.body, 'table')).toContain('issues');
    expect(at((await control('GET /_twin/ledger/alice')).body, 'writes')).toBe(1);
  });

  it('refuses nonsense with a reason', async () => {
    const twin = await startTestTwin({ controlEndpoint: true });
    const refused = await ask(twin, 'POST /_twin/faults', { body: { kind: 'explode' } });
    expect([refused.status, typeof at(refused.body, 'message')]).toEqual([422, 'string']);
    expect((await ask(twin, 'GET /_twin/faults/f99/hits')).status).toBe(404);
  });
});
