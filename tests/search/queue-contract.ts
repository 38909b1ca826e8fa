import type { TurnQueue } from '@mergexo/queue';

/** What the contract needs of a queue and its workers, real or simulated. */
export type QueueDriver = {
  queue: TurnQueue;
  /** Takes the next job under a lock with this token. */
  take(token: string): Promise<{ id: string } | undefined>;
  extendLock(id: string, token: string): Promise<boolean>;
  complete(id: string, token: string): Promise<void>;
  delay(id: string, token: string, ms: number): Promise<void>;
  /** The worker of this job died: its lock expires, and the job is delivered again. */
  expire(id: string): Promise<void>;
  /** Lets delayed jobs become due. */
  passDelays(): Promise<void>;
  flush(): Promise<void>;
};

const turn = (letter: string, epoch = 1) => ({ turnKey: letter.repeat(64), epoch });

/** Each test runs on the real queue and on its stand-in. */
export const QUEUE_CONTRACT: readonly [string, (driver: QueueDriver) => Promise<unknown>, unknown][] = [
  [
    'adds a turn and epoch once, also after it is completed',
    async ({ queue, take, complete }) => {
      await queue.enqueueTurns([turn('a'), turn('a')]);
      const first = await take('t1');
      await complete(first?.id ?? '', 't1');
      await queue.enqueueTurns([turn('a')]);
      return [first !== undefined, await take('t2'), await queue.readJobState(turn('a'))];
    },
    [true, undefined, { kind: 'completed' }],
  ],
  [
    'delivers the lowest priority first, and follows a later change',
    async ({ queue, take }) => {
      await queue.enqueueTurns([
        { ...turn('a'), priority: 3 },
        { ...turn('b'), priority: 2 },
        { ...turn('c'), priority: 4 },
      ]);
      await queue.prioritiseTurns([{ ...turn('c'), priority: 1 }]);
      const taken = [await take('t1'), await take('t2'), await take('t3')];
      return taken.map((job) => job?.id.slice(2, 3));
    },
    ['c', 'b', 'a'],
  ],
  [
    'delivers a job again when its lock has expired, and the first worker then lacks the lock',
    async ({ queue, take, expire, extendLock }) => {
      await queue.enqueueTurns([turn('a')]);
      const first = await take('t1');
      const id = first?.id ?? '';
      const held = await extendLock(id, 't1');
      await expire(id);
      const second = await take('t2');
      return [held, second?.id === id, await extendLock(id, 't1'), await extendLock(id, 't2')];
    },
    [true, true, false, true],
  ],
  [
    'ignores the result of a worker that lost its lock',
    async ({ queue, take, expire, complete }) => {
      await queue.enqueueTurns([turn('a')]);
      const id = (await take('t1'))?.id ?? '';
      await expire(id);
      await take('t2');
      await complete(id, 't1');
      return queue.readJobState(turn('a'));
    },
    { kind: 'present' },
  ],
  [
    'keeps a postponed job until its delay has passed',
    async ({ queue, take, delay, passDelays }) => {
      await queue.enqueueTurns([turn('a')]);
      const id = (await take('t1'))?.id ?? '';
      await delay(id, 't1', 1_000);
      const early = await take('t2');
      const waiting = await queue.listWaitingJobs();
      await passDelays();
      return [early, waiting.length, (await take('t3'))?.id === id];
    },
    [undefined, 1, true],
  ],
  [
    'removes a waiting job, but not one that a worker holds',
    async ({ queue, take }) => {
      await queue.enqueueTurns([turn('a')]);
      const id = (await take('t1'))?.id ?? '';
      await queue.enqueueTurns([turn('b')]);
      await queue.removeJob(id).catch(() => {});
      await queue.removeJob(`t-${'b'.repeat(64)}-1`);
      return [await queue.readJobState(turn('a')), await queue.readJobState(turn('b'))];
    },
    [{ kind: 'present' }, { kind: 'missing' }],
  ],
  [
    'knows no job after Redis has lost its data',
    async ({ queue, take, flush, extendLock }) => {
      await queue.enqueueTurns([turn('a'), turn('b')]);
      const id = (await take('t1'))?.id ?? '';
      await flush();
      const states = [await queue.readJobState(turn('a')), await queue.listWaitingJobs()];
      return [...states, await extendLock(id, 't1'), await take('t2')];
    },
    [{ kind: 'missing' }, [], false, undefined],
  ],
];
