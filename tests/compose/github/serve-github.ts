import { once } from 'node:events';
import { request } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { startTwin, type Twin } from '@mergexo/github-twin';
import { makeCertificates } from './make-certificates.js';

export const REPO = 'acme/app';
const HOST = 'github.test';
const PORT = 8443;
const LOGINS = ['alice', 'robot'];

export type ServedGitHub = { twin: Twin; url: string; host: string; caPath: string; stop(): Promise<void> };

/** Serves the twin over TLS on one address, under a name that only the containers know. */
export async function serveGitHub(dir: string, address: string): Promise<ServedGitHub> {
  const socket = join(dir, 'twin.sock');
  const twin = await startTwin({ seed: SEED, socket, limits: LIMITS });
  const url = `https://${HOST}:${PORT}`;
  twin.world.url = url;
  const { caPath, key, cert } = await makeCertificates(dir, HOST);
  const relay = createServer({ key, cert }, (incoming, outgoing) => {
    const { method = 'GET', url: path = '/', headers } = incoming;
    const forwarded = request({ socketPath: socket, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.on('error', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  relay.listen(PORT, address);
  await once(relay, 'listening');
  return {
    ...{ twin, url, host: HOST, caPath },
    async stop() {
      relay.closeAllConnections();
      relay.close();
      await once(relay, 'close');
      await twin.stop();
    },
  };
}

/** The tests write faster than people do. */
const LIMITS = { pointsPerMinute: 100_000, contentPerMinute: 10_000, contentPerHour: 10_000 };

const SEED = {
  users: [{ login: 'acme', type: 'Organization' as const }, ...LOGINS.map((login) => ({ login }))],
  repos: [
    {
      name: REPO,
      permissions: { alice: 'admin' as const, robot: 'write' as const },
      files: { 'README.md': '# app\n' },
      labels: ['agent:design', 'agent:bugfix', 'agent:small-job', 'agent:ignore'],
    },
  ],
};
