import { Failure, JOB_LOCK_MS } from '@mergexo/core/basics';
import { buildJobId } from '@mergexo/core/turns';
import type { QueuedTurn, TurnQueue } from '@mergexo/queue';

type Stored = {
  id: string;
  turnKey: string;
  epoch: number;
  state: 'waiting' | 'delayed' | 'active' | 'completed' | 'failed';
  priority: number;
  /** The order within a priority. */
  serial: number;
  delay: number;
  dueAt: number;
  token: string;
  lockedUntil: number;
  reason: string;
};

export type TakenJob = { id: string; turnKey: string; epoch: number };
export type MemoryQueue = ReturnType<typeof createMemoryQueue>;

/** As in `createTurnQueue`. */
const SLACK_MS = 5_000;

/**
 * The `turns` queue with BullMQ's semantics: jobs have unique ids, a worker holds a job by a lock that expires, a job
 * whose lock expired is delivered again, and delays follow the wall clock.
 */
export function createMemoryQueue(clock: { wallNow(): number; monotonicNow(): number }) {
  const jobs = new Map<string, Stored>();
  const delayedSince = new Map<string, { delay: number; at: number }>();
  const waiters = new Set<() => void>();
  let serials = 0;

  const wake = (): void => {
    for (const job of jobs.values()) {
      const isDue = job.state === 'delayed' && job.dueAt <= clock.wallNow();
      const isStalled = job.state === 'active' && job.lockedUntil <= clock.monotonicNow();
      if (isDue || isStalled) job.state = 'waiting';
    }
  };
  const add = ({ turnKey, epoch, delayMs = 0, priority = 1 }: QueuedTurn): void => {
    const id = buildJobId({ turnKey, epoch });
    if (jobs.has(id)) return;
    serials += 1;
    const delay = Math.ceil(Math.max(0, delayMs));
    jobs.set(id, {
      ...{ id, turnKey, epoch, priority, delay, serial: serials, token: '', lockedUntil: 0, reason: '' },
      state: delay > 0 ? 'delayed' : 'waiting',
      dueAt: clock.wallNow() + delay,
    });
    for (const tell of waiters) tell();
  };
  const listIn = (...states: Stored['state'][]): Stored[] => {
    wake();
    return [...jobs.values()].filter(({ state }) => states.includes(state));
  };
  const findHeld = (id: string, token: string): Stored | undefined => {
    wake();
    const job = jobs.get(id);
    return job?.state === 'active' && job.token === token ? job : undefined;
  };
  const end = (id: string, token: string, state: 'completed' | 'failed', reason = ''): boolean => {
    const job = findHeld(id, token);
    if (job !== undefined) Object.assign(job, { state, reason });
    return job !== undefined;
  };

  const queue: TurnQueue = {
    waitUntilReady: async () => {},
    enqueueTurns: async (turns) => turns.forEach(add),
    prioritiseTurns: async (turns) => {
      for (const { priority, ...identity } of turns) {
        const job = jobs.get(buildJobId(identity));
        if (job !== undefined && job.state !== 'active') job.priority = priority;
      }
    },
    readJobState: async (identity) => {
      wake();
      const job = jobs.get(buildJobId(identity));
      if (job === undefined) return { kind: 'missing' };
      if (job.state === 'completed') return { kind: 'completed' };
      return job.state === 'failed' ? { kind: 'failed', reason: job.reason } : { kind: 'present' };
    },
    listWaitingJobs: async () => listIn('waiting', 'delayed').map(({ id }) => id),
    promoteOverdue: async (monotonicNow) => {
      const delayed = listIn('delayed');
      const ids = new Set(delayed.map(({ id }) => id));
      for (const id of delayedSince.keys()) if (!ids.has(id)) delayedSince.delete(id);
      const overdue = delayed.filter(({ id, delay }) => {
        const known = delayedSince.get(id);
        if (known?.delay !== delay) delayedSince.set(id, { delay, at: monotonicNow });
        return known?.delay === delay && monotonicNow - known.at > delay + SLACK_MS;
      });
      for (const job of overdue) job.state = 'waiting';
      return overdue.length;
    },
    removeJob: async (id) => {
      wake();
      if (jobs.get(id)?.state !== 'active') jobs.delete(id);
    },
    close: async () => {},
  };

  return {
    queue,
    /** Takes the next job under a lock. */
    take(token: string): TakenJob | undefined {
      const [next] = listIn('waiting').sort((a, b) => a.priority - b.priority || a.serial - b.serial);
      if (next === undefined) return undefined;
      Object.assign(next, { state: 'active', token, lockedUntil: clock.monotonicNow() + JOB_LOCK_MS });
      return { id: next.id, turnKey: next.turnKey, epoch: next.epoch };
    },
    /** Returns false if the job is no longer locked with this token. */
    extendLock(id: string, token: string): boolean {
      const job = findHeld(id, token);
      if (job !== undefined) job.lockedUntil = clock.monotonicNow() + JOB_LOCK_MS;
      return job !== undefined;
    },
    complete: (id: string, token: string): boolean => end(id, token, 'completed'),
    fail: (id: string, token: string, reason: string): boolean => end(id, token, 'failed', reason),
    delay(id: string, token: string, delayMs: number): boolean {
      const job = findHeld(id, token);
      if (job !== undefined)
        Object.assign(job, { state: 'delayed', delay: delayMs, dueAt: clock.wallNow() + delayMs });
      return job !== undefined;
    },
    /** Resolves when a job was added, or after `pause`, in which a delay may have ended. */
    async waitForNews(pause: Promise<void>): Promise<void> {
      let tell = (): void => {};
      const news = new Promise<void>((resolve) => {
        tell = resolve;
      });
      waiters.add(tell);
      await Promise.race([news, pause]);
      waiters.delete(tell);
    },
    /** Empties the queue, as FLUSHALL does. */
    flush: (): void => jobs.clear(),
  };
}

/** Wraps the queue for a poller that may be cut off from Redis. */
export function linkQueue(queue: TurnQueue, reach: () => Promise<boolean>): TurnQueue {
  const through = async <T>(work: () => Promise<T>): Promise<T> => {
    if (!(await reach())) throw new Failure('unavailable', 'Redis did not respond.');
    return work();
  };
  return {
    waitUntilReady: () => through(queue.waitUntilReady),
    enqueueTurns: (turns) => through(() => queue.enqueueTurns(turns)),
    prioritiseTurns: (turns) => through(() => queue.prioritiseTurns(turns)),
    readJobState: (identity) => through(() => queue.readJobState(identity)),
    listWaitingJobs: () => through(queue.listWaitingJobs),
    promoteOverdue: (now) => through(() => queue.promoteOverdue(now)),
    removeJob: (id) => through(() => queue.removeJob(id)),
    close: queue.close,
  };
}
