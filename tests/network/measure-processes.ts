import { setTimeout as sleep } from 'node:timers/promises';
import { createWalk } from '../fleet/walk.js';
import { watchPolls, withIdlePoller } from './measure-idle.js';
import { type Plan, SETTINGS } from './plan.js';
import { readCpuMs, readRssMb } from './process-usage.js';

/** One measured value of a process. */
export type Usage = { row: string; what: string; value: number; unit: 'ms' | 'MB' };

const IDLE_MS = 60_000;

/** Measures the CPU time of the poller from one idle poll to the next, including its messages to Redis. */
export async function measureIdleCpu(
  { rounds, note }: Omit<Plan, 'latencyMs'>,
  pulls: number,
): Promise<Usage> {
  note(`CPU of idle polls, ${pulls} open pull requests, ${rounds} polls`);
  return withIdlePoller({ latencyMs: 0, pulls }, async ({ walk, pollerPid }) => {
    const before = readCpuMs(pollerPid);
    const polls = await watchPolls(walk, rounds);
    // `polls` omits the first and the last poll. The measured time contains about one of these two polls.
    const value = (readCpuMs(pollerPid) - before) / (polls.length + 1);
    note(`${value.toFixed(1)} ms`);
    return { row: 'idle-cpu', what: `CPU per idle poll, ${pulls} open pull requests`, value, unit: 'ms' };
  });
}

/** Measures the memory of the poller and the worker a minute after a turn. */
export async function measureMemory({ note }: Pick<Plan, 'note'>): Promise<Usage[]> {
  note(`memory after ${IDLE_MS / 1_000} s`);
  const walk = await createWalk(SETTINGS);
  try {
    const poller = await walk.ready(walk.startPoller(), 'poller is ready');
    const worker = await walk.ready(walk.startWorker(), 'worker is ready');
    await walk.openPull('agent:small-job');
    await sleep(IDLE_MS);
    return Object.entries({ poller, worker }).map(([name, { pid }]) => ({
      row: 'memory',
      what: `resident memory of the ${name} after a turn and a minute without work`,
      value: readRssMb(pid),
      unit: 'MB',
    }));
  } finally {
    await walk.close();
  }
}
