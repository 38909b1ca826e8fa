import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { readSettings } from '@mergexo/config';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { createContext } from '../context.js';
import { checkDashboard } from './check-dashboard.js';

describe('checkDashboard', () => {
  const directory = createTemporaryDirectory();
  afterAll(() => directory.remove());

  const check = async (lines: string, env: { MERGEXO_DASHBOARD_PASSWORD?: string } = {}) => {
    const configPath = join(directory.path, 'mergexo.toml');
    writeFileSync(configPath, `[repo.app]\nowner = "o"\nname = "n"\n[dashboard]\n${lines}\n`);
    const settings = readSettings({ configPath, env, homeDir: directory.path });
    const context = createContext({ env, homeDir: directory.path, write: () => {} });
    const [finding] = await checkDashboard(settings, context);
    return finding;
  };
  const listen = async (body: string) => {
    const server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
  };

  it('warns if another program uses the port, but not if the dashboard does', async () => {
    for (const [body, status] of [
      ['hello', 'warning'],
      ['ok\n', 'ok'],
    ]) {
      const { server, port } = await listen(body ?? '');
      try {
        expect(await check(`port = ${port}`)).toMatchObject({ status });
      } finally {
        server.close();
        server.closeAllConnections();
      }
    }
    expect(await check('port = 0')).toMatchObject({ status: 'ok' });
  });

  it('fails if other machines can reach the dashboard without a password', async () => {
    expect(await check('host = "0.0.0.0"\nport = 0')).toMatchObject({
      status: 'failure',
      fix: expect.stringContaining('MERGEXO_DASHBOARD_PASSWORD'),
    });
    const env = { MERGEXO_DASHBOARD_PASSWORD: 'correct horse battery' };
    expect(await check('host = "0.0.0.0"\nport = 0', env)).toMatchObject({ status: 'ok' });
  });
});
