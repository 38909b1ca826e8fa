/**
 * Runs one private Redis server while the standard input of this process is open. When the owner exits for any reason,
 * the pipe closes and the server stops. If the owner started the server directly, the server would outlive a kill -9 of
 * the owner.
 */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRedis } from '../connect.js';
import { Order } from './order.js';
import { READY_LINE, startServer } from './servers.js';

const STOP_LIMIT_MS = 10_000;
const CHECK_EVERY_MS = 1_000;
const ANSWER_WITHIN_MS = 2_000;

// The keeper ignores signals: Ctrl-C signals all processes in the terminal, but the owner must stop Redis last.
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

/**
 * Resolves when the server hangs or was shut down. The owner then starts a new server. The keeper reserves one
 * connection for itself, so that the server does not seem to hang when clients use up all the others.
 */
async function untilItFallsSilent(): Promise<void> {
  const redis = createRedis(server.target, { silenceMs: ANSWER_WITHIN_MS });
  redis.on('error', () => {});
  await redis.connect().catch(() => {});
  for (let failures = 0; failures < 3; ) {
    await sleep(CHECK_EVERY_MS);
    failures = await redis.ping().then(
      () => 0,
      () => failures + 1,
    );
  }
}
