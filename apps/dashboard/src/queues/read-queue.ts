import type { Redis } from './create-redis-connection.js';

/** BullMQ's keys for job ids, by job state. */
const PLACES = {
  active: { set: 'active', kind: 'list' },
  waiting: { set: 'wait', kind: 'list' },
  prioritized: { set: 'prioritized', kind: 'sorted' },
  delayed: { set: 'delayed', kind: 'sorted' },
  completed: { set: 'completed', kind: 'sorted' },
  failed: { set: 'failed', kind: 'sorted' },
} as const;

export type JobPlace = keyof typeof PLACES;
export const JOB_PLACES: readonly JobPlace[] = [
  'active',
  'waiting',
  'prioritized',
  'completed',
  'failed',
  'delayed',
];
export type QueueCounts = Readonly<Record<JobPlace, number>>;
export type StoredJob = { id: string; fields: Readonly<Record<string, string>> };

export type QueueReader = ReturnType<typeof createQueueReader>;

/** Reads a queue with read-only Redis commands, so no job can change. */
export function createQueueReader(redis: Redis, prefix: string, queue: string) {
  const keyOf = (name: string): string => `${prefix}:${queue}:${name}`;
  const count = (place: JobPlace): Promise<number> => {
    const { set, kind } = PLACES[place];
    return kind === 'list' ? redis.llen(keyOf(set)) : redis.zcard(keyOf(set));
  };
  const readJob = async (id: string): Promise<StoredJob | undefined> => {
    if (/[:*]/.test(id)) return undefined;
    const fields = await redis.hgetall(keyOf(id));
    return fields['timestamp'] === undefined ? undefined : { id, fields };
  };

  return {
    async countJobs(): Promise<QueueCounts> {
      const [active, waiting, prioritized, delayed, completed, failed] = await Promise.all([
        count('active'),
        count('waiting'),
        count('prioritized'),
        count('delayed'),
        count('completed'),
        count('failed'),
      ]);
      return { active, waiting, prioritized, delayed, completed, failed };
    },

    async listIds(place: JobPlace, start: number, end: number): Promise<string[]> {
      const { set, kind } = PLACES[place];
      if (kind === 'list') return redis.lrange(keyOf(set), start, end);
      return place === 'delayed' || place === 'prioritized'
        ? redis.zrange(keyOf(set), String(start), String(end))
        : redis.zrevrange(keyOf(set), String(start), String(end));
    },

    readJob,

    async listJobs(ids: readonly string[]): Promise<StoredJob[]> {
      const jobs = await Promise.all(ids.map(readJob));
      return jobs.filter((job) => job !== undefined);
    },

    async findPlace(id: string): Promise<JobPlace | undefined> {
      const found = await Promise.all(
        JOB_PLACES.map(async (place) => {
          const { set, kind } = PLACES[place];
          const at = kind === 'list' ? redis.lpos(keyOf(set), id) : redis.zscore(keyOf(set), id);
          return (await at) === null ? undefined : place;
        }),
      );
      return found.find((place) => place !== undefined);
    },

    readLogs: (id: string): Promise<string[]> =>
      /[:*]/.test(id) ? Promise.resolve([]) : redis.lrange(keyOf(`${id}:logs`), 0, 999),

    isPaused: async (): Promise<boolean> => (await redis.hexists(keyOf('meta'), 'paused')) === 1,

    readInfo: (): Promise<string> => redis.info(),
  };
}
