import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { createContext } from '../../context.js';
import { testWebhook } from './webhook-test.js';

const SECRET = 'a-secret-of-the-webhook';

describe('webhook test', () => {
  const pathTo = useTemporaryDirectory();
  let server: Server;
  let port: number;
  let status: number;
  let requests: { event: unknown; signed: boolean; path: string | undefined }[];
  beforeEach(async () => {
    requests = [];
    status = 202;
    server = createServer((request, response) => {
      const hash = createHmac('sha256', SECRET);
      request.on('data', (chunk) => hash.update(chunk));
      request.on('end', () => {
        const signed = request.headers['x-hub-signature-256'] === `sha256=${hash.digest('hex')}`;
        requests.push({ event: request.headers['x-github-event'], signed, path: request.url });
        response.statusCode = status;
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });

  const run = async (listen: string | undefined, url?: string) => {
    const keys = listen === undefined ? '' : `[webhook]\nlisten = "${listen}"\n`;
    writeFileSync(pathTo('mergexo.toml'), `${keys}[repo.a]\nowner = "ada"\nname = "engine"\n`);
    let printed = '';
    const context = createContext({
      ...{ config: pathTo('mergexo.toml'), json: true, homeDir: pathTo() },
      env: { MERGEXO_WEBHOOK_SECRET: SECRET },
      write: (text) => {
        printed += text;
      },
    });
    return { ok: await testWebhook(context, { url }), ...JSON.parse(printed) };
  };

  it('sends a signed test delivery to the configured address', async () => {
    expect(await run(`127.0.0.1:${port}`)).toMatchObject({ ok: true, problem: null });
    expect(requests).toEqual([{ event: 'ping', signed: true, path: '/webhook' }]);
  });

  it('reaches a webhook that listens on every address through loopback', async () => {
    expect(await run(`0.0.0.0:${port}`)).toMatchObject({ ok: true, url: `http://127.0.0.1:${port}/webhook` });
  });

  it('tests the way through a proxy at a given address', async () => {
    expect(await run('127.0.0.1:9', `http://127.0.0.1:${port}/hooks`)).toMatchObject({ ok: true });
    expect(requests).toMatchObject([{ path: '/hooks' }]);
  });

  it.each([
    [401, /secret is wrong \(401\)\. Give the poller and this command the same MERGEXO_WEBHOOK_SECRET/],
    [404, /The path of the webhook is \/webhook/],
    [502, /responded with 502\. Check that your proxy/],
    [301, /responded with 301\. Check that your proxy/],
  ])('explains the response %i', async (given, problem) => {
    status = given;
    const result = await run(`127.0.0.1:${port}`);
    expect(result.ok).toBe(false);
    expect(result.problem).toMatch(problem);
  });

  it('explains that nothing listens', async () => {
    const result = await run('127.0.0.1:9');
    expect(result.problem).toMatch(/^no response \(.+\)\. Check that the poller runs/);
  });

  it('names the missing key', async () => {
    expect(await run(undefined)).toMatchObject({ ok: false, problem: 'no webhook is configured' });
  });
});
