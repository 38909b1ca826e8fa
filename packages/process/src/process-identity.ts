import { readProcess } from './process-table.js';

/** A process by its pid and its start time: the system gives a pid to another process once the first has ended. */
export type ProcessRef = { pid: number; identity: string };

/** Undefined if there is no such process. Throws if the system does not tell. */
export function referTo(pid: number): ProcessRef | undefined {
  const state = readProcess(pid);
  return state && { pid, identity: state.started };
}

/** Throws rather than answer without an identity: other processes would take this one for dead. */
export function referToSelf(): ProcessRef {
  const self = referTo(process.pid);
  if (self === undefined) throw new Error('cannot read when this process was started; is `ps` missing?');
  return self;
}

/** False for another process with the same pid, and for a zombie. Throws if the system does not tell. */
export function isAlive({ pid, identity }: { pid: number; identity: unknown }): boolean {
  const state = readProcess(pid);
  return state?.living === true && state.started === identity;
}

/** True also if the system does not tell, for want of file handles for example: then its property must not be taken. */
export function mayBeAlive(ref: { pid: number; identity: unknown }): boolean {
  try {
    return isAlive(ref);
  } catch {
    return true;
  }
}
