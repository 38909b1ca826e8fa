import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Notice } from '@mergexo/core/notices';
import { createRedact } from '@mergexo/core/text';
import { eventually, findOnPath, onlyWith, useTemporaryDirectory } from '@mergexo/testkit';
import type { Sent } from './channel.js';
import { createChannels, type NotifySettings } from './create-channels.js';

const NOTICE: Notice = {
  ...{ id: 'event-1', kind: 'blocked', repo: 'ada/engine', number: 7, title: 'Leaks canary-0123456789' },
  ...{ text: 'Blocked.', url: 'https://github.com/ada/engine/issues/7', at: 0 },
};

describe('createChannels', () => {
  const pathTo = useTemporaryDirectory();
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    }
  });

  const listen = async (server: Server): Promise<number> => {
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  /** Starts a receiver and returns its address, with the bodies that it gets. */
  const receive = async (respond: RequestListener): Promise<{ url: string; bodies: string[] }> => {
    const bodies: string[] = [];
    const port = await listen(
      createServer((request, response) => {
        let body = '';
        request.on('data', (chunk) => (body += String(chunk)));
        request.on('end', () => {
          bodies.push(body);
          respond(request, response);
        });
      }),
    );
    return { url: `http://127.0.0.1:${port}/services/T00/secret-part-of-path`, bodies };
  };
  const open = (more: Partial<NotifySettings>) =>
    createChannels({
      ...{ webhook: undefined, command: undefined, desktop: false, env: { PATH: process.env['PATH'] } },
      redact: createRedact(['canary-0123456789']),
      limitMs: 500,
      ...more,
    });
  const send = async (more: Partial<NotifySettings>, signal?: AbortSignal): Promise<Sent | undefined> =>
    open(more)[0]?.send([NOTICE], signal);

  it('sends nothing anywhere without configuration', () => {
    expect(open({})).toEqual([]);
  });

  it('posts a redacted message in the format of Slack', async () => {
    const { url, bodies } = await receive((_request, response) => response.end('ok'));
    expect(await send({ webhook: { url } })).toEqual({ kind: 'sent' });
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({
      text: expect.stringContaining('<https://github.com/ada/engine/issues/7|ada/engine#7> Leaks'),
      mrkdwn: false,
    });
    expect(bodies.join('')).not.toContain('canary');
  });

  it.each<[string, RequestListener, string]>([
    ['responds with 500', (_request, response) => response.writeHead(500).end(), 'responded with 500'],
    ['does not respond', () => {}, 'did not respond within 0.5 s'],
    [
      'responds slowly, byte by byte',
      (_request, response) => void setInterval(() => response.writeProcessing(), 50).unref(),
      'did not respond within 0.5 s',
    ],
    ['closes the connection', (request) => request.socket.destroy(), 'cannot be reached'],
  ])('reports a webhook that %s', async (_name, respond, reason) => {
    const { url } = await receive(respond);
    expect(await send({ webhook: { url } })).toEqual({
      kind: 'failed',
      reason: expect.stringContaining(reason),
    });
  });

  it('does not wait for the body of a response', async () => {
    const { url } = await receive((_request, response) => response.writeHead(200).write('x'));
    expect(await send({ webhook: { url } })).toEqual({ kind: 'sent' });
  });

  it('follows no redirect to another host', async () => {
    const other = await receive((_request, response) => response.end());
    const { url } = await receive((_request, response) =>
      response.writeHead(307, { location: other.url }).end(),
    );
    const sent = await send({ webhook: { url } });
    expect(sent).toMatchObject({ kind: 'failed', reason: expect.stringContaining('307') });
    expect(other.bodies).toEqual([]);
  });

  const noOpenssl = findOnPath('openssl') ? undefined : 'openssl is not installed';
  onlyWith(noOpenssl).it(
    'rejects a certificate that it cannot verify, without the address in the reason',
    async () => {
      const [key, cert] = [pathTo('key.pem'), pathTo('cert.pem')];
      execFileSync(
        'openssl',
        [
          ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=127.0.0.1'],
          ...['-keyout', key, '-out', cert],
        ],
        { stdio: 'ignore' },
      );
      const bodies: string[] = [];
      const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request) =>
        request.on('data', (chunk) => bodies.push(String(chunk))),
      );
      const port = await listen(server);
      const sent = await send({ webhook: { url: `https://127.0.0.1:${port}/secret-part-of-path` } });
      expect(sent).toMatchObject({ kind: 'failed', reason: expect.stringMatching(/SELF_SIGNED|CERT/) });
      expect(JSON.stringify(sent)).not.toContain('secret-part');
      expect(bodies).toEqual([]);
    },
  );

  it('reports a missing address', async () => {
    expect(await send({ webhook: { problem: 'X is not set' } })).toEqual({
      kind: 'failed',
      reason: 'X is not set',
    });
  });

  it('ends a send when the program stops', async () => {
    const { url } = await receive(() => {});
    const stopping = new AbortController();
    const sending = send({ webhook: { url }, limitMs: 60_000 }, stopping.signal);
    stopping.abort();
    expect(await sending).toEqual({ kind: 'aborted' });
  });

  const program = (text: string): string[] => {
    writeFileSync(pathTo('notify.mjs'), text);
    return [process.execPath, pathTo('notify.mjs')];
  };

  it('gives a program one line of JSON', async () => {
    const command = program(
      `import { readFileSync, writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(pathTo('got'))}, readFileSync(0));`,
    );
    expect(await send({ command, limitMs: 20_000 })).toEqual({ kind: 'sent' });
    const got = readFileSync(pathTo('got'), 'utf8');
    expect(got.endsWith('}\n')).toBe(true);
    expect(JSON.parse(got)).toEqual({
      version: 1,
      notifications: [
        {
          ...{ id: 'event-1', kind: 'blocked', repo: 'ada/engine', number: 7, title: 'Leaks [redacted]' },
          ...{
            text: 'Blocked.',
            url: 'https://github.com/ada/engine/issues/7',
            time: '1970-01-01T00:00:00.000Z',
          },
        },
      ],
    });
  });

  it('reports a program that fails, with its last line, redacted', async () => {
    const command = program(`console.error('first\\nno canary-0123456789'); process.exit(3);`);
    expect(await send({ command, limitMs: 20_000 })).toEqual({
      kind: 'failed',
      reason: expect.stringMatching(/ended with exit code 3: no \[redacted\]$/),
    });
  });

  it('reports a program that does not exist', async () => {
    expect(await send({ command: ['/nonexistent/notify'] })).toMatchObject({ kind: 'failed' });
  });

  it('kills a program that hangs, together with its children', async () => {
    const command = program(
      `import { spawn } from 'node:child_process';\nimport { writeFileSync } from 'node:fs';\n` +
        `const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);\n` +
        `writeFileSync(${JSON.stringify(pathTo('pid'))}, String(child.pid));\nsetInterval(() => {}, 1000);`,
    );
    expect(await send({ command, limitMs: 3_000 })).toMatchObject({
      reason: expect.stringContaining('did not end within 3 s'),
    });
    expect(existsSync(pathTo('pid'))).toBe(true);
    const pid = Number(readFileSync(pathTo('pid'), 'utf8'));
    await eventually(() => expect(() => process.kill(pid, 0)).toThrow());
  });

  it('passes texts to the desktop as arguments, with markup escaped', async () => {
    if (process.platform === 'darwin') return;
    mkdirSync(pathTo('bin'));
    writeFileSync(pathTo('bin', 'notify-send'), `#!/bin/sh\nprintf '%s\\n' "$@" > ${pathTo('args')}\n`);
    chmodSync(pathTo('bin', 'notify-send'), 0o755);
    const env = { PATH: `${pathTo('bin')}:${process.env['PATH']}` };
    const [channel] = open({ desktop: true, env, limitMs: 20_000 });
    const hostile = { ...NOTICE, title: '$(touch x) -e "', text: '<b>&' };
    expect(await channel?.send([hostile])).toEqual({ kind: 'sent' });
    expect(readFileSync(pathTo('args'), 'utf8')).toBe(
      '--app-name=MergeXO\n--\nada/engine#7: $(touch x) -e "\n&lt;b&gt;&amp;\n',
    );
  });
});
