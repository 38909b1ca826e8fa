import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { attempt } from './attempt.js';
import { inSlices } from './in-slices.js';
import { createFileMeter, type FileUsage } from './measure-files.js';

export type ProcessUsage = {
  /** Processes and their threads, as the kernel counts them. */
  processes: number;
  /** Memory that the kernel cannot free: private and shared memory, swapped memory, page tables, files in memory. */
  memoryBytes: number;
} & FileUsage;

const NOTHING: ProcessUsage = { processes: 0, memoryBytes: 0, openFiles: 0, unlinkedBytes: 0 };

type Limits = { processes: number; memoryBytes: number };

/**
 * Returns a function that measures processes, which may end at any time. Up to the limits, the numbers are rough and
 * cheap: memory that processes share counts once per process. Beyond the memory limit, shared memory is divided among
 * the processes that share it. A measurement never stalls this program, however many processes and files there are.
 */
export function createMeter() {
  const measureFiles = createFileMeter();
  return async (pids: readonly number[], limits: Limits): Promise<ProcessUsage> => {
    if (process.platform !== 'linux') return measureWithPs(pids);
    const usage = { ...NOTHING };
    await inSlices(pids, (pid) => {
      const { threads, bytes } = readStatus(pid);
      usage.processes += threads;
      usage.memoryBytes += bytes;
    });
    // Inspecting files of thousands of processes is slow, and the process limit is already exceeded.
    if (usage.processes > limits.processes) return usage;
    const files = await measureFiles(pids);
    const rough = usage.memoryBytes + files.memoryBytes;
    const memoryBytes = rough > limits.memoryBytes ? await measureShared(pids, files.memoryBytes) : rough;
    return { ...files, processes: usage.processes, memoryBytes };
  };
}

/** Reads `/proc/<pid>/status`, which stays readable even if a process hides its other files from its own user. */
function readStatus(pid: number): { threads: number; bytes: number; tableBytes: number } {
  const read = readFields(`/proc/${pid}/status`);
  // Reading untouched memory allocates page tables, although no other number grows.
  const tableBytes = 1024 * read('VmPTE');
  const bytes = 1024 * (read('RssAnon') + read('RssShmem') + read('VmSwap')) + tableBytes;
  return { threads: read('Threads'), bytes, tableBytes };
}

/**
 * Measures memory, and divides shared memory among the processes that share it. A mapped memory-only file is
 * in both `sharedBytes` and `fileBytes`, so only the larger of the two counts.
 */
async function measureShared(pids: readonly number[], fileBytes: number): Promise<number> {
  let ownBytes = 0;
  let sharedBytes = 0;
  await inSlices(pids, (pid) => {
    const read = readFields(`/proc/${pid}/smaps_rollup`);
    const isHidden = read('Rss') === 0;
    const { bytes, tableBytes } = readStatus(pid);
    ownBytes += isHidden ? bytes : 1024 * (read('Pss_Anon') + read('SwapPss')) + tableBytes;
    sharedBytes += 1024 * read('Pss_Shmem');
  });
  return ownBytes + Math.max(sharedBytes, fileBytes);
}

/** A missing field counts as 0, because the process has ended or hides it. */
function readFields(path: string): (name: string) => number {
  const text = attempt(() => readFileSync(path, 'utf8')) ?? '';
  return (name) => Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

/** Without /proc, only processes and their memory are known. */
function measureWithPs(pids: readonly number[]): ProcessUsage {
  if (pids.length === 0) return NOTHING;
  const args = ['-o', 'rss=', '-p', pids.join(',')];
  const text = attempt(() => execFileSync('/bin/ps', args, { encoding: 'utf8' })) ?? '';
  const memoryBytes = text.split('\n').reduce((sum, line) => sum + 1024 * Number(line), 0);
  return { ...NOTHING, processes: pids.length, memoryBytes };
}
