/**
 * The process that keeps one private Redis. It lives as long as its standard input: when the owner ends, however it
 * ends, the pipe closes and the server is stopped. A server started by the owner directly would outlive a kill -9.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Order } from './order.js';
import { pings, READY_LINE, startServer } from './servers.js';

const STOP_LIMIT_MS = 10_000;
const CHECK_EVERY_MS = 1_000;

// Ctrl-C reaches the whole terminal; the owner decides when Redis may go.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

const input = createInterface({ input: process.stdin });
const ownerGone = new Promise<void>((resolve) => input.once('close', resolve));
const firstLine: string = await new Promise((resolve) => input.once('line', resolve));
const server = await startServer(Order.parse(JSON.parse(firstLine)), () => process.exit(1));
process.stdout.write(`${READY_LINE}\n`);
await Promise.race([ownerGone, untilItFallsSilent()]);
setTimeout(() => process.exit(1), STOP_LIMIT_MS);
await server.stop();
process.exit(0);

/** A server that hangs, or that was told to shut down, is replaced by the owner with a new one. */
async function untilItFallsSilent(): Promise<void> {
  for (let failures = 0; failures < 3; ) {
    await sleep(CHECK_EVERY_MS);
    failures = (await pings(server.target)) ? 0 : failures + 1;
  }
}
