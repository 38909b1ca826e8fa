import type { Exchange } from '../http/exchange.js';
import { send } from '../http/send.js';
import { isSigned } from '../http/signed-path.js';
import type { World } from '../world/world.js';

const PATH = /^\/_logs\/jobs\/(\d+)$/;

export const isLogPath = (path: string) => PATH.test(path);

/** Where the API redirects to for the log of a job. */
export function serveLogs(world: World, exchange: Exchange): void {
  const job = world.store.jobs.get(Number(PATH.exec(exchange.path)?.[1]));
  const signed = isSigned(world, exchange.path, exchange.query);
  const refusal = 'Server failed to authenticate the request.';
  send(exchange, {
    status: job && signed ? 200 : 403,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: Buffer.from(job && signed ? job.log : refusal),
  });
}
