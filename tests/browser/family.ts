import { execFileSync } from 'node:child_process';
import { isAlive, type ProcessRef, referTo } from '@mergexo/process';

export type Family = {
  /** Records all current descendants of the process. */
  note(): void;
  /** Lists the recorded processes that are still running, as `pid stat args`. */
  listLeft(): string[];
  size(): number;
};

/** Tracks every descendant of a process, including processes whose parent has exited. */
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
 * Identifies processes by pid and start time, because the system soon reuses the pid of a finished process, for example
 * for another test's worker.
 */
export function createSeen() {
  const refs = new Map<string, ProcessRef>();
  return {
    add(pid: number): void {
      const ref = referTo(pid);
      if (ref !== undefined) refs.set(`${pid} ${ref.identity}`, ref);
    },
    /** True if the process with this pid was recorded. */
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
