import { readProcess } from './process-table.js';

/** A process by its number and its start, as long as nobody else can have the number. */
export type ProcessRef = { pid: number; identity: string };

export function referTo(pid: number): ProcessRef | undefined {
  const state = readProcess(pid);
  return state && { pid, identity: state.started };
}

/** Not the number alone: that may belong to somebody else by now. And not a zombie: that does nothing any more. */
export function isAlive({ pid, identity }: ProcessRef): boolean {
  const state = readProcess(pid);
  return state?.living === true && state.started === identity;
}
