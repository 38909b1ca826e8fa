import { release } from 'node:os';

/** Limits for all processes of one run together. `openFiles` applies to each process. */
export type Resources = { memoryBytes: number; processes: number; openFiles: number; diskBytes: number };

const GIBIBYTE = 1024 ** 3;

export const DEFAULT_RESOURCES: Resources = {
  memoryBytes: 8 * GIBIBYTE,
  processes: 4096,
  openFiles: 65_536,
  diskBytes: 20 * GIBIBYTE,
};

export type Resource = keyof Resources | 'freeDisk';

/** A limit that a run exceeded. */
export type Exceeded = { kind: 'exceeded'; resource: Resource; limit: number };

/** MergeXO ends a run if the disk has less free space, because the database and the queue need space too. */
export const MIN_FREE_BYTES = 512 * 1024 * 1024;

const inMebibytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`;

const EXPLANATIONS: Readonly<Record<Resource, (limit: number) => string>> = {
  memoryBytes: (limit) => `used more than ${inMebibytes(limit)} of memory; ${advise('max_memory_mb')}`,
  processes: (limit) => `started more than ${limit} processes and threads; ${advise('max_processes')}`,
  openFiles: (limit) => `opened ${limit} files in one process; ${advise('max_open_files')}`,
  diskBytes: (limit) => `used more than ${inMebibytes(limit)} of disk space; ${advise('max_disk_mb')}`,
  freeDisk: (limit) =>
    `ran while less than ${inMebibytes(limit)} or 10,000 files were free on the disk of \`runtime.base_dir\`; free some space`,
};

function advise(key: string): string {
  return `if the work needs more, raise \`agent.${key}\``;
}

/** Completes a sentence such as "the agent …". */
export function explainExceeded({ resource, limit }: Omit<Exceeded, 'kind'>): string {
  return EXPLANATIONS[resource](limit);
}

/**
 * Wraps a command so that the kernel enforces limits per process: open files, the size of a file, no core
 * dumps. The program cannot raise them. Runs inside the sandbox, because the kernel counts processes per
 * namespace there. If memory runs out, the kernel prefers to kill these processes.
 */
export function limitCommand(
  { openFiles, processes, diskBytes }: Resources,
  command: readonly string[],
): string[] {
  const limits = [
    'ulimit -c 0',
    `ulimit -f ${Math.ceil(diskBytes / 512)}`,
    `ulimit -n ${openFiles}`,
    // The option is -u in bash and -p in other shells.
    ...(countsPerNamespace(release()) ? [`ulimit -u ${processes} || ulimit -p ${processes}`] : []),
    'echo 500 > /proc/self/oom_score_adj',
    // Otherwise, thousands of busy processes would take the worker's CPU time, and its heartbeat would stop.
    'renice -n 19 -p $$',
    'chrt --idle --pid 0 $$',
  ];
  // A limit that is already lower stays in force, because a program cannot raise it.
  return ['/bin/sh', '-c', `{ ${limits.join('; ')}; } >/dev/null 2>&1; exec "$@"`, 'sh', ...command];
}

/** False for kernels before 5.14, where the limit would also count the user's processes outside the sandbox. */
export function countsPerNamespace(kernel: string): boolean {
  const [major = 0, minor = 0] = kernel.split('.').map((part) => Number.parseInt(part, 10));
  return major > 5 || (major === 5 && minor >= 14);
}
