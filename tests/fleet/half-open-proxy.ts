import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { RedisTarget } from '@mergexo/queue';

export type HalfOpenProxy = {
  port: number;
  /** From now on nothing gets through, and nobody is told: as when a host leaves the network. */
  cut(): void;
  /** New connections work again. Those from before the cut, or made during it, never do. */
  heal(): void;
  close(): Promise<void>;
};

/** A way to Redis that can lose every packet without closing a connection. */
export async function startHalfOpenProxy(target: RedisTarget): Promise<HalfOpenProxy> {
  const sockets = new Set<Socket>();
  let cuts = 0;
  let isCut = false;
  const server = createServer((client) => {
    const upstream = connect(
      target.path === undefined ? { port: target.port ?? 6379 } : { path: target.path },
    );
    const bornAt = cuts;
    const isAlive = (): boolean => !isCut && bornAt === cuts;
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('data', (chunk) => {
        if (isAlive()) to.write(chunk);
      });
      // Redis does not hear that a dead client left, and goes on waiting for it.
      from.on('close', () => {
        if (isAlive()) to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    cut() {
      cuts += 1;
      isCut = true;
    },
    heal() {
      cuts += 1;
      isCut = false;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
