import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { createContext } from '../../context.js';
import { testNotifications } from './notify-test.js';

describe('notify test', () => {
  const pathTo = useTemporaryDirectory();
  const run = async (keys: string, env: Record<string, string> = {}) => {
    writeFileSync(pathTo('mergexo.toml'), `[notify]\n${keys}\n[repo.a]\nowner = "ada"\nname = "engine"\n`);
    let printed = '';
    const write = (text: string): void => {
      printed += text;
    };
    const config = pathTo('mergexo.toml');
    const context = createContext({ config, json: true, env, homeDir: pathTo(), write });
    return { ok: await testNotifications(context), ...JSON.parse(printed) };
  };

  it('sends one message to every channel and reports the failed ones', async () => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      request.on('data', (chunk) => bodies.push(String(chunk)));
      request.on('end', () => response.end());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const HOOK = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/x`;
    try {
      const result = await run('webhook_env = "HOOK"\ncommand = ["/nonexistent/notify"]', { HOOK });
      expect(result).toMatchObject({
        ok: false,
        channels: [
          { channel: 'webhook', sent: true },
          { channel: 'command', sent: false, reason: expect.stringContaining('cannot be started') },
        ],
      });
      expect(bodies.join('')).toContain('This is a test');
    } finally {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
  });

  it.each([
    ['', {}, []],
    [
      'webhook_env = "HOOK"',
      {},
      [{ reason: expect.stringContaining('HOOK (notify.webhook_env) is not set') }],
    ],
    [
      'webhook_env = "HOOK"',
      { HOOK: 'http://chat.example/secret-canary-1234' },
      [{ reason: expect.stringMatching(/must be an https:\/\/ URL, or http:\/\/ on a loopback host$/) }],
    ],
  ])('reports what is missing with %j and %j', async (keys, env, channels) => {
    expect(await run(keys, env)).toMatchObject({ ok: false, channels });
  });
});
