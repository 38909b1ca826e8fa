import { readdirSync, readlinkSync, statSync } from 'node:fs';
import { attempt } from './attempt.js';
import { inSlices } from './in-slices.js';

export type FileUsage = {
  /** Bytes in memory-only files (memfd), which have no path. */
  memoryBytes: number;
  /** Highest number of open files in any process. */
  openFiles: number;
  /** Disk space of deleted files that are still open. A walk through directories cannot find them. */
  unlinkedBytes: number;
};

const NO_FILES: FileUsage = { memoryBytes: 0, openFiles: 0, unlinkedBytes: 0 };
/**
 * Inspecting this many files takes about 25 ms. A run may open millions of files, and inspecting all of them would
 * delay the next measurement.
 */
const FILES_PER_ROUND = 2_500;

/**
 * Measures open files in rounds. A round inspects a limited number of files, and the next round continues
 * after them. If a pass through all files needs several rounds, each value is the maximum of the current and
 * the previous pass.
 */
export function createFileMeter(filesPerRound = FILES_PER_ROUND) {
  let previous = NO_FILES;
  let current = { ...NO_FILES };
  let pass: Iterator<void> | undefined;

  return async (pids: readonly number[]): Promise<FileUsage> => {
    const openFiles = await countMostFiles(pids);
    pass ??= inspectFiles(pids, current);
    await inSlices(continuePass(pass, filesPerRound), (isDone) => {
      if (!isDone) return;
      previous = current;
      current = { ...NO_FILES };
      pass = undefined;
    });
    return {
      memoryBytes: Math.max(previous.memoryBytes, current.memoryBytes),
      openFiles: Math.max(openFiles, previous.openFiles, current.openFiles),
      unlinkedBytes: Math.max(previous.unlinkedBytes, current.unlinkedBytes),
    };
  };
}

function* continuePass(pass: Iterator<void>, steps: number): Generator<boolean> {
  for (let step = 0; step < steps; step += 1) {
    const isDone = pass.next().done === true;
    yield isDone;
    if (isDone) return;
  }
}

/**
 * Returns the highest number of open files of any process. Since Linux 6.2, the size of `/proc/<pid>/fd` is that
 * number. On older kernels the size is 0.
 */
async function countMostFiles(pids: readonly number[]): Promise<number> {
  let most = 0;
  await inSlices(pids, (pid) => {
    most = Math.max(most, attempt(() => statSync(`/proc/${pid}/fd`).size) ?? 0);
  });
  return most;
}

/** Adds the files of all processes to `usage`. Yields after each file. */
function* inspectFiles(pids: readonly number[], usage: FileUsage): Generator<void> {
  const seen = new Set<string>();
  for (const pid of pids) {
    const directory = `/proc/${pid}/fd`;
    const names = attempt(() => readdirSync(directory)) ?? [];
    usage.openFiles = Math.max(usage.openFiles, names.length);
    yield;
    for (const name of names) {
      const target = attempt(() => readlinkSync(`${directory}/${name}`)) ?? '';
      if (target.endsWith(' (deleted)')) addDeleted(usage, { target, path: `${directory}/${name}`, seen });
      yield;
    }
  }
}

type Deleted = { target: string; path: string; seen: Set<string> };

/** Counts each deleted file once, even if several processes have it open. */
function addDeleted(usage: FileUsage, { target, path, seen }: Deleted): void {
  const file = attempt(() => statSync(path));
  if (file === undefined || seen.has(`${file.dev}:${file.ino}`)) return;
  seen.add(`${file.dev}:${file.ino}`);
  usage[target.startsWith('/memfd:') ? 'memoryBytes' : 'unlinkedBytes'] += file.blocks * 512;
}
