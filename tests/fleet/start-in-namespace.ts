import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { ROOT } from './fleet.js';

/** The reason why this machine cannot create a network namespace, or undefined. */
export const missingNamespaces =
  spawnSync('unshare', ['-n', 'ip', 'link', 'set', 'lo', 'up'], { stdio: 'ignore' }).status === 0
    ? undefined
    : 'unshare and ip cannot create a network namespace';

export type Confined = { output(): string; stop(): Promise<void> };

/** Starts a program in its own network namespace, from which it reaches only these ports of this machine's loopback. */
export async function startInNamespace(
  script: readonly [string, ...string[]],
  { dir, ports, env }: { dir: string; ports: readonly number[]; env: NodeJS.ProcessEnv },
): Promise<Confined> {
  const links = ports.map((port) => ({ port, socket: join(dir, `${port}.sock`) }));
  const servers = await Promise.all(links.map(serve));
  const { NODE_OPTIONS: _ours, ...inherited } = process.env;
  const forward = join(ROOT, 'tests/dist/fleet/forward-ports.js');
  const args = ['-n', process.execPath, forward, JSON.stringify(links), ...script];
  const child = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...inherited, ...env } });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)));
  const exited = once(child, 'exit');
  return {
    output: () => chunks.join(''),
    async stop() {
      child.kill('SIGTERM');
      await exited;
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

type Link = { port: number; socket: string };

/** Passes connections to the socket on to the port. */
async function serve({ port, socket }: Link): Promise<{ close(): Promise<void> }> {
  const open = new Set<{ destroy(): void }>();
  const server: Server = createServer((incoming) => {
    const outgoing = connect(port, '127.0.0.1');
    for (const end of [incoming, outgoing]) open.add(end.on('close', () => void open.delete(end)));
    incoming.on('error', () => outgoing.destroy()).pipe(outgoing);
    outgoing.on('error', () => incoming.destroy()).pipe(incoming);
  });
  await new Promise<void>((resolve) => void server.listen(socket, resolve));
  return {
    async close() {
      for (const end of open) end.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
