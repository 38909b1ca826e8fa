import { readProcess } from './process-table.js';

/** A process, identified by its pid and start time, because the system reuses the pid of a process that has ended. */
export type ProcessRef = { pid: number; identity: string };

/**
 * Returns the process with its start time; undefined if the process does not exist. Throws if the process table cannot
 * be read.
 */
export function referTo(pid: number): ProcessRef | undefined {
  const state = readProcess(pid);
  return state && { pid, identity: state.started };
}

/**
 * Returns this process with its start time. Throws if the start time is unknown, because other processes would
 * consider this one dead.
 */
export function referToSelf(): ProcessRef {
  const self = referTo(process.pid);
  if (self === undefined)
    throw new Error('cannot read the start time of this process; install `ps` or mount /proc');
  return self;
}

/**
 * True if the process is alive. False for another process with the same pid, and for a zombie. Throws if the process
 * table cannot be read.
 */
export function isAlive({ pid, identity }: { pid: number; identity: unknown }): boolean {
  const state = readProcess(pid);
  return state?.living === true && state.started === identity;
}

/**
 * True if the process is alive. Also true if the process table cannot be read, for example because no file descriptors
 * are left.
 */
export function mayBeAlive(ref: { pid: number; identity: unknown }): boolean {
  try {
    return isAlive(ref);
  } catch {
    return true;
  }
}
