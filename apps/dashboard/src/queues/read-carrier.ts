import { QUEUES } from './create-board.js';
import type { RedisConnection } from './create-redis-connection.js';
import { createQueueReader, type QueueCounts } from './read-queue.js';

export type Carrier = { counts: readonly { queue: string; counts: QueueCounts }[] };

/** Reads the queue lengths, which exist only in Redis. */
export function readCarrier(connection: RedisConnection, prefix: string): Promise<Carrier> {
  return connection.read(async (redis) => {
    const counts = QUEUES.map(async ({ name: queue }) => ({
      queue,
      counts: await createQueueReader(redis, prefix, queue).countJobs(),
    }));
    return { counts: await Promise.all(counts) };
  });
}
