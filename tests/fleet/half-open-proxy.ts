import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { RedisTarget } from '@mergexo/queue';

export type HalfOpenProxy = {
  port: number;
  /** Drops all packets from now on without closing connections, as if the host had left the network. */
  cut(): void;
  /** Cuts all connections when a connection sends its second request with this text. Resolves after the cut. */
  cutAtSecond(text: string): Promise<void>;
  /** Lets new connections work again. Connections from before or during the cut stay dead. */
  restore(): void;
  close(): Promise<void>;
};

/** A proxy to Redis that can drop every packet without closing a connection. */
export async function startHalfOpenProxy(target: RedisTarget): Promise<HalfOpenProxy> {
  const sockets = new Set<Socket>();
  let cuts = 0;
  let isCut = false;
  let trigger: { text: string; fire: () => void } | undefined;
  const cut = (): void => {
    cuts += 1;
    isCut = true;
  };
  const server = createServer((client) => {
    const upstream = connect(
      target.path === undefined ? { port: target.port ?? 6379 } : { path: target.path },
    );
    const cutsAtStart = cuts;
    const isAlive = (): boolean => !isCut && cutsAtStart === cuts;
    let requests = 0;
    client.on('data', (chunk) => {
      if (trigger === undefined || !chunk.includes(trigger.text)) return;
      requests += 1;
      if (requests === 2) trigger.fire();
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('data', (chunk) => {
        if (isAlive()) to.write(chunk);
      });
      // The other end of a cut connection is not closed, so Redis keeps waiting for a client that has left.
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
    cut,
    cutAtSecond: (text) =>
      new Promise((resolve) => {
        const fire = (): void => {
          trigger = undefined;
          cut();
          resolve();
        };
        trigger = { text, fire };
      }),
    restore() {
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
