import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createMeter, listMembers, type ProcessRef } from '@mergexo/process';
import { measureDirectories } from './measure-directories.js';
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
      const used = await measureDirectories(watched.directories, { signal: stopping.signal });
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
    used = await measureDirectories(directories, { signal });
    if (used + unlinked.bytes >= diskBytes) exceed('diskBytes', diskBytes);
    const endedMs = performance.now();
    nextWalkMs = endedMs + Math.max(WALK_PAUSE_MS, REST * (endedMs - startedMs));
    freeAtWalk = free;
    return PAUSE_MS;
  });
}

/** Ignores failures, because a run may have exhausted the machine's processes or file handles. */
async function repeat(signal: AbortSignal, measure: () => Promise<number>): Promise<void> {
  while (!signal.aborted) {
    const pauseMs = await measure().catch(() => PAUSE_MS);
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
  }
}
