import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';

export type ProcessUsage = {
  /** Processes and their threads, as the kernel counts them. */
  processes: number;
  /** Memory that the kernel cannot free: private and shared memory, swapped memory, and files in memory. */
  memoryBytes: number;
  /** Open files of the process that has the most. */
  openFiles: number;
  /** Disk space of deleted files that are still open. A walk through directories cannot find them. */
  unlinkedBytes: number;
};

const NOTHING: ProcessUsage = { processes: 0, memoryBytes: 0, openFiles: 0, unlinkedBytes: 0 };

/**
 * Measures processes that may end at any time. Up to `limits`, the numbers are rough and cheap: memory that processes
 * share counts once per process. Beyond the memory limit, shared memory is divided by its users.
 */
export function measureProcesses(
  pids: readonly number[],
  limits: { processes: number; memoryBytes: number },
): ProcessUsage {
  if (process.platform !== 'linux') return measureWithPs(pids);
  const usage = { ...NOTHING };
  for (const { threads, bytes } of pids.map(readStatus)) {
    usage.processes += threads;
    usage.memoryBytes += bytes;
  }
  // Reading the files of thousands of processes would take too long, and one exceeded limit is enough.
  if (usage.processes > limits.processes) return usage;
  const files = readFiles(pids);
  const { openFiles, unlinkedBytes } = files;
  const rough = usage.memoryBytes + files.memoryBytes;
  const memoryBytes = rough > limits.memoryBytes ? measureShared(pids, files.memoryBytes) : rough;
  return { processes: usage.processes, memoryBytes, openFiles, unlinkedBytes };
}

/** Every process can read this file of every other process, even if that process hides the rest from its own user. */
function readStatus(pid: number): { threads: number; bytes: number } {
  const read = readFields(`/proc/${pid}/status`);
  const bytes = 1024 * (read('RssAnon') + read('RssShmem') + read('VmSwap'));
  return { threads: read('Threads'), bytes };
}

/** Processes may map files that are in memory. Such files are in both numbers, so only the larger number counts. */
function measureShared(pids: readonly number[], fileBytes: number): number {
  let ownBytes = 0;
  let sharedBytes = 0;
  for (const pid of pids) {
    const read = readFields(`/proc/${pid}/smaps_rollup`);
    const isHidden = read('Rss') === 0;
    ownBytes += isHidden ? readStatus(pid).bytes : 1024 * (read('Pss_Anon') + read('SwapPss'));
    sharedBytes += 1024 * read('Pss_Shmem');
  }
  return ownBytes + Math.max(sharedBytes, fileBytes);
}

/** A missing field counts as 0, because the process has ended or hides it. */
function readFields(path: string): (name: string) => number {
  const text = attempt(() => readFileSync(path, 'utf8')) ?? '';
  return (name) => Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

function readFiles(pids: readonly number[]): Omit<ProcessUsage, 'processes'> {
  const seen = new Set<string>();
  const usage = { memoryBytes: 0, openFiles: 0, unlinkedBytes: 0 };
  for (const pid of pids) {
    const directory = `/proc/${pid}/fd`;
    const names = attempt(() => readdirSync(directory)) ?? [];
    usage.openFiles = Math.max(usage.openFiles, names.length);
    for (const name of names) {
      const target = attempt(() => readlinkSync(`${directory}/${name}`)) ?? '';
      if (!target.endsWith(' (deleted)')) continue;
      const file = attempt(() => statSync(`${directory}/${name}`));
      if (file === undefined || seen.has(`${file.dev}:${file.ino}`)) continue;
      seen.add(`${file.dev}:${file.ino}`);
      usage[target.startsWith('/memfd:') ? 'memoryBytes' : 'unlinkedBytes'] += file.blocks * 512;
    }
  }
  return usage;
}

/** Without /proc, only processes and their memory are known. */
function measureWithPs(pids: readonly number[]): ProcessUsage {
  if (pids.length === 0) return NOTHING;
  const args = ['-o', 'rss=', '-p', pids.join(',')];
  const text = attempt(() => execFileSync('/bin/ps', args, { encoding: 'utf8' })) ?? '';
  const memoryBytes = text.split('\n').reduce((sum, line) => sum + 1024 * Number(line), 0);
  return { ...NOTHING, processes: pids.length, memoryBytes };
}

/** Undefined if reading fails: the process has ended, or belongs to another user. */
function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
