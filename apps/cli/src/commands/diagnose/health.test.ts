import { once } from 'node:events';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { openState } from '@mergexo/state';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { createContext } from '../../context.js';
import { health } from './health.js';

describe('health', () => {
  const pathTo = useTemporaryDirectory();
  let port = 0;
  beforeEach(() => mkdirSync(pathTo('data')));

  const check = async (role: string) => {
    writeFileSync(
      pathTo('mergexo.toml'),
      `[runtime]\nbase_dir = ${JSON.stringify(pathTo('data'))}\n[dashboard]\nport = ${port}\n[repo.a]\nowner = "o"\nname = "n"`,
    );
    let printed = '';
    const write = (text: string) => {
      printed = text.trim();
    };
    const env = { MERGEXO_ROLE: role };
    const ok = await health(
      createContext({ config: pathTo('mergexo.toml'), env, homeDir: pathTo(), write }),
      {},
    );
    return { ok, printed };
  };

  it('judges a worker by the age of the last acknowledged heartbeat', async () => {
    expect(await check('worker')).toMatchObject({
      ok: false,
      printed: 'The poller has not acknowledged a heartbeat of this worker',
    });
    const file = pathTo('data', 'worker-health.json');
    const set = (ageMs: number): void => {
      writeFileSync(file, '{}');
      utimesSync(file, new Date(), new Date(Date.now() - ageMs));
    };
    for (const [ageMs, ok] of [
      [1_000, true],
      [29_000, true],
      [31_000, false],
      [-60_000, false],
    ] as const) {
      set(ageMs);
      expect(await check('worker')).toMatchObject({ ok });
    }
  });

  it('reports the poller as unhealthy if GitHub does not respond', async () => {
    await expect(check('poller')).rejects.toThrow('state.db is missing');
    const state = openState(pathTo('data', 'state.db'));
    const note = (subject: 'poller' | 'github', code: 'ok' | 'unreachable', at: number): void =>
      state.saveHealth({ subject, code, detail: 'ENOTFOUND' }, at);
    note('poller', 'ok', Date.now());
    expect(await check('poller')).toEqual({
      ok: true,
      printed: 'The poller is running, and GitHub responds',
    });
    note('github', 'unreachable', Date.now() - 300_000);
    expect(await check('poller')).toMatchObject({
      ok: false,
      printed: expect.stringContaining('GitHub not responding since'),
    });
    note('poller', 'ok', Date.now() - 60_000);
    expect(await check('poller')).toMatchObject({
      ok: false,
      printed: expect.stringContaining('Poller not running since'),
    });
    state.close();
  });

  it('asks the dashboard', async () => {
    const server = createServer((_request, response) => response.end('ok\n')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
    expect(await check('dashboard')).toMatchObject({ ok: true });
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
    expect(await check('dashboard')).toMatchObject({ ok: false });
  });

  it('needs a role', async () => {
    await expect(check('')).rejects.toThrow('Add --role poller, worker, dashboard, or set MERGEXO_ROLE.');
  });
});
