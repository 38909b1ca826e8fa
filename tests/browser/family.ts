import { execFileSync } from 'node:child_process';
import { isAlive, type ProcessRef, referTo } from '@mergexo/process';

export type Family = {
  /** Remembers everything that runs below it now. */
  note(): void;
  /** Of all that was remembered: what still runs, as `pid stat args`. */
  listLeft(): string[];
  size(): number;
};

/** Everything that a process starts, also what outlives its parent: that belongs to nobody then and is easily missed. */
export function watchFamily(root: number): Family {
  const seen = createSeen();
  return {
    note() {
      for (const { pid } of listDescendants(root)) seen.add(pid);
    },
    listLeft: () =>
      listProcesses()
        .filter(({ pid, stat, args }) => seen.isSame(pid) && !stat.startsWith('Z') && OURS.test(args))
        .map(({ pid, stat, args }) => `${pid} ${stat} ${args}`),
    size: seen.size,
  };
}

/**
 * Processes that were seen, known by pid and start time: the system soon gives the number of an ended process to another one,
 * such as a worker of a test that runs beside this one.
 */
export function createSeen() {
  const refs = new Map<string, ProcessRef>();
  return {
    add(pid: number): void {
      const ref = referTo(pid);
      if (ref !== undefined) refs.set(`${pid} ${ref.identity}`, ref);
    },
    /** The process with this pid is one of those that were seen. */
    isSame: (pid: number): boolean => [...refs.values()].some((ref) => ref.pid === pid && isAlive(ref)),
    size: (): number => refs.size,
  };
}

type Row = { pid: number; parent: number; stat: string; args: string };
const OURS = /node|redis|valkey|git/;

function listDescendants(root: number): Row[] {
  const rows = listProcesses();
  const family = new Set([root]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const { pid, parent } of rows) if (family.has(parent)) family.add(pid);
  }
  return rows.filter(({ pid }) => pid !== root && family.has(pid));
}

function listProcesses(): Row[] {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' });
  return text.split('\n').flatMap((line): Row[] => {
    const [, pid, parent, stat, args] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (stat === undefined || args === undefined) return [];
    return [{ pid: Number(pid), parent: Number(parent), stat, args }];
  });
}
