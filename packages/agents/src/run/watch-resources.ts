import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMeter, listMembers, type ProcessRef } from '@mergexo/process';
import { type Exceeded, MIN_FREE_BYTES, type Resource, type Resources } from './resources.js';

type Watched = {
  resources: Resources;
  runId: string;
  /** True if all processes are below the roots, because they share a pid namespace. */
  bubblewrapped: boolean;
  roots: () => readonly ProcessRef[];
  /** The directories that the run can write to. */
  directories: readonly string[];
  onExceeded: (exceeded: Exceeded) => void;
};

const PAUSE_MS = 500;
/** Pause between two directory walks. A sharp drop in free space starts the next walk earlier. */
const WALK_PAUSE_MS = 5_000;
/** Pause after a measurement, as a multiple of its duration, so that measuring takes at most 5 % of the time. */
const REST = 19;
const MIN_FREE_FILES = 10_000;
const WALK_MS = 60_000;

/** Measures the run until a limit is exceeded or the watch is closed. */
export function watchResources(watched: Watched) {
  const { resources, onExceeded } = watched;
  const stopping = new AbortController();
  const exceed = (resource: Resource, limit: number): void => {
    if (!stopping.signal.aborted) onExceeded({ kind: 'exceeded', resource, limit });
  };
  const measure = createMeter();
  const unlinked = { bytes: 0 };
  void repeat(stopping.signal, async () => {
    const startedMs = performance.now();
    const usage = await measure(await listMembers(pickTree(watched)), resources);
    unlinked.bytes = usage.unlinkedBytes;
    if (usage.processes >= resources.processes) exceed('processes', resources.processes);
    if (usage.memoryBytes > resources.memoryBytes) exceed('memoryBytes', resources.memoryBytes);
    if (usage.openFiles >= resources.openFiles) exceed('openFiles', resources.openFiles);
    return Math.max(PAUSE_MS, REST * (performance.now() - startedMs));
  });
  void watchDisk(watched, { signal: stopping.signal, exceed, unlinked });
  return {
    /** Measures the files that a program left when it ended. */
    checkDisk: async (): Promise<Exceeded | undefined> => {
      const used = await measureDirectories(watched.directories, stopping.signal);
      const { diskBytes: limit } = resources;
      return used < limit ? undefined : { kind: 'exceeded', resource: 'diskBytes', limit };
    },
    close: () => stopping.abort(),
  };
}

/** Finding processes by their marker is slow, and unnecessary in a namespace. */
function pickTree({ runId, roots, bubblewrapped }: Watched) {
  return { roots: roots(), ...(!bubblewrapped && { runId }) };
}

type DiskWatch = {
  signal: AbortSignal;
  exceed: (resource: Resource, limit: number) => void;
  unlinked: { readonly bytes: number };
};

async function watchDisk(
  { resources: { diskBytes }, directories }: Watched,
  { signal, exceed, unlinked }: DiskWatch,
): Promise<void> {
  let nextWalkMs = 0;
  let freeAtWalk = 0;
  let used = 0;
  await repeat(signal, async () => {
    const [directory = '/'] = directories;
    const { bavail, bsize, files, ffree } = await statfs(directory);
    const free = bavail * bsize;
    if (free < MIN_FREE_BYTES || (files > 0 && ffree < MIN_FREE_FILES)) exceed('freeDisk', MIN_FREE_BYTES);
    const startedMs = performance.now();
    if (used + unlinked.bytes >= diskBytes) exceed('diskBytes', diskBytes);
    if (startedMs < nextWalkMs && freeAtWalk - free < diskBytes / 8) return PAUSE_MS;
    used = await measureDirectories(directories, signal);
    if (used + unlinked.bytes >= diskBytes) exceed('diskBytes', diskBytes);
    const endedMs = performance.now();
    nextWalkMs = endedMs + Math.max(WALK_PAUSE_MS, REST * (endedMs - startedMs));
    freeAtWalk = free;
    return PAUSE_MS;
  });
}

/**
 * `du` counts a file with several hard links once, follows no symbolic links, and stays on one disk. It skips
 * directories that it cannot read. A tree that takes too long to measure counts as too large.
 */
function measureDirectories(directories: readonly string[], signal: AbortSignal): Promise<number> {
  const env = { PATH: '/usr/bin:/bin:/run/current-system/sw/bin', LC_ALL: 'C' };
  return new Promise((resolve) => {
    const options = {
      env,
      signal,
      timeout: WALK_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 16 * 1024 * 1024,
    } as const;
    execFile('du', ['-skx', ...directories], options, (error, stdout) => {
      if (error?.killed === true && !signal.aborted) return resolve(Number.POSITIVE_INFINITY);
      const sizes = stdout.split('\n').map((line) => Number.parseInt(line, 10));
      resolve(1024 * sizes.filter(Number.isSafeInteger).reduce((sum, size) => sum + size, 0));
    });
  });
}

/** Ignores failures, because a run may have exhausted the machine's processes or file handles. */
async function repeat(signal: AbortSignal, measure: () => Promise<number>): Promise<void> {
  while (!signal.aborted) {
    const pauseMs = await measure().catch(() => PAUSE_MS);
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
}
