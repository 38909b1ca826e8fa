import { QUEUES } from './create-board.js';
import { createQueueReader, type QueueCounts } from './read-queue.js';
import type { RedisLine } from './redis-line.js';

export type Carrier = { counts: readonly { queue: string; counts: QueueCounts }[] };

/** Reads the queue lengths, which exist only in Redis. */
export function readCarrier(line: RedisLine, prefix: string): Promise<Carrier> {
  return line.read(async (redis) => {
    const counts = QUEUES.map(async ({ name: queue }) => ({
      queue,
      counts: await createQueueReader(redis, prefix, queue).countJobs(),
    }));
    return { counts: await Promise.all(counts) };
  });
}
