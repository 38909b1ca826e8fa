import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { createContext } from '../context.js';
import { open } from './open.js';

describe('open', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let server: Server;
  let port: number;
  beforeEach(async () => {
    directory = createTemporaryDirectory();
    server = createServer((_request, response) => response.end('ok\n')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });
  afterEach(async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((done) => server.close(done));
    directory.remove();
  });

  const at = (name: string): string => join(directory.path, name);
  const run = async (repos: readonly string[], number?: string, repo?: string) => {
    const sections = repos.map((name) => `[repo.${name}]\nowner = "ada"\nname = "${name}"\n`).join('');
    writeFileSync(at('mergexo.toml'), `[dashboard]\nport = ${port}\n${sections}`);
    let printed = '';
    const write = (text: string): void => {
      printed += text;
    };
    const env = { PATH: at('bin') };
    const context = createContext({
      config: at('mergexo.toml'),
      json: true,
      env,
      homeDir: directory.path,
      write,
    });
    const ok = await open(context, number, repo === undefined ? {} : { repo });
    return { ok, ...JSON.parse(printed) };
  };
  const addBrowser = (): void => {
    mkdirSync(at('bin'));
    for (const name of ['open', 'xdg-open']) {
      writeFileSync(at(`bin/${name}`), `#!/bin/sh\necho "$1" > ${at('visited')}\n`);
      chmodSync(at(`bin/${name}`), 0o755);
    }
  };

  it('opens the page of an issue in the browser', async () => {
    addBrowser();
    const url = `http://127.0.0.1:${port}/issues/ada/engine/42`;
    expect(await run(['engine'], '42')).toEqual({ ok: true, url, opened: true });
    expect(readFileSync(at('visited'), 'utf8')).toBe(`${url}\n`);
  });

  it('prints the address if no browser can be started', async () => {
    expect(await run(['engine'])).toEqual({ ok: true, url: `http://127.0.0.1:${port}/`, opened: false });
  });

  it('opens nothing while the dashboard is down', async () => {
    addBrowser();
    await new Promise((done) => server.close(done));
    expect(await run(['engine'])).toMatchObject({ ok: false, opened: false });
    expect(existsSync(at('visited'))).toBe(false);
  });

  it('asks for the repository if the config has several', async () => {
    await expect(run(['engine', 'loom'], '42')).rejects.toThrow(
      /Add --repo <owner\/name>: ada\/engine, ada\/loom/,
    );
    await expect(run(['engine', 'loom'], '42', 'ada/other')).rejects.toThrow(/--repo must be one of/);
    expect(await run(['engine', 'loom'], '42', 'ADA/loom')).toMatchObject({
      url: expect.stringMatching(/\/issues\/ada\/loom\/42$/),
    });
  });
});
