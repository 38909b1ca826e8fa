import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { silentLog } from '@mergexo/core/basics';
import { findOnPath, onlyWith, useTemporaryDirectory } from '@mergexo/testkit';
import { SEARCH_PATH } from '../testing/shell.js';
import { parseRemote } from './parse-remote.js';
import { createRunGit } from './run-git.js';
import { writeCaBundle } from './write-ca-bundle.js';

const limits = { localMs: 20_000, networkMs: 20_000, outputBytes: 1_000_000 };

describe('a git command for an https remote', () => {
  const pathTo = useTemporaryDirectory();
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }
  });

  const listen = async (server: Server): Promise<number> => {
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  const listRefs = (url: string, options: Partial<Parameters<typeof createRunGit>[0]>) =>
    createRunGit({
      baseDir: pathTo(),
      searchPath: SEARCH_PATH,
      credential: async () => 'TOKEN',
      limits,
      ...options,
    })({ action: 'listing', args: ['ls-remote', url], remote: parseRemote(url) });

  it('connects through the proxy, unless the host is listed as direct', async () => {
    const tunnels: string[] = [];
    const server = createServer();
    server.on('connect', ({ url = '' }, socket) => {
      tunnels.push(url);
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    });
    const proxy = { url: `http://127.0.0.1:${await listen(server)}`, direct: [] };
    expect(await listRefs('https://github.test/acme/app.git', { proxy })).toMatchObject({ code: 128 });
    expect(tunnels).toEqual(['github.test:443']);
    const direct = { ...proxy, direct: ['github.test'] };
    expect(await listRefs('https://github.test:1/acme/app.git', { proxy: direct })).toMatchObject({
      code: 128,
    });
    expect(tunnels).toHaveLength(1);
  });

  const missing = findOnPath('openssl') ? undefined : 'openssl is not installed';
  onlyWith(missing).it('trusts the additional certificate authorities and the system’s', async () => {
    const [key, cert] = [pathTo('key.pem'), pathTo('cert.pem')];
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost'];
    const names = ['-addext', 'subjectAltName=DNS:localhost'];
    execFileSync('openssl', [...request, ...names, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const server = createTlsServer(
      { key: readFileSync(key), cert: readFileSync(cert) },
      (_request, response) => response.writeHead(404).end(),
    );
    const url = `https://localhost:${await listen(server)}/acme/app.git`;
    expect((await listRefs(url, {})).stderr).toMatch(/certificate/i);
    const caInfo = writeCaBundle({ baseDir: pathTo('base'), extraCaCerts: cert, log: silentLog });
    expect(caInfo).toBe(pathTo('base', 'ca-certificates.pem'));
    expect((await listRefs(url, { caInfo })).stderr).toMatch(/not found/);
    const bundle = readFileSync(caInfo ?? '', 'utf8');
    expect(bundle).toContain(readFileSync(cert, 'utf8').trim());
    expect(bundle.match(/BEGIN CERTIFICATE/g)?.length).toBeGreaterThan(10);
    expect(statSync(caInfo ?? '').mode & 0o777).toBe(0o600);
  });

  it('uses git’s own certificates if there are no readable additional ones', () => {
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_fields: unknown, message: string) => void warnings.push(message) };
    const write = (extraCaCerts: string | undefined) =>
      writeCaBundle({ baseDir: pathTo('base'), extraCaCerts, log });
    expect(write(undefined)).toBeUndefined();
    expect(warnings).toEqual([]);
    expect(write(pathTo('missing.pem'))).toBeUndefined();
    expect(warnings).toHaveLength(1);
    expect(existsSync(pathTo('base'))).toBe(false);
  });

  it('gets neither proxy nor certificates if the remote is not https', async () => {
    writeFileSync(pathTo('git'), `#!/bin/sh\nenv > ${pathTo('seen')}\n`, { mode: 0o755 });
    const proxy = { url: 'http://proxy.test', direct: [] };
    const options = { searchPath: `${pathTo()}:/usr/bin:/bin`, proxy, caInfo: '/ca.pem' };
    for (const url of ['http://127.0.0.1:1/acme/app.git', 'git@github.test:acme/app.git']) {
      await listRefs(url, options);
      expect(readFileSync(pathTo('seen'), 'utf8')).not.toMatch(/proxy|ca\.pem/);
    }
    await listRefs('https://github.test/acme/app.git', options);
    const seen = readFileSync(pathTo('seen'), 'utf8');
    expect(seen).toContain('=http://proxy.test\n');
    expect(seen).toContain('=/ca.pem\n');
  });
});
