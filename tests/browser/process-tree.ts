import { execFileSync } from 'node:child_process';
import { isAlive, type ProcessRef, referTo } from '@mergexo/process';

export type ProcessTree = {
  /** Records all current descendants of the process. */
  record(): void;
  /** Lists the recorded processes that are still running, as `pid stat args`. */
  listSurvivors(): string[];
  size(): number;
};

/** Tracks every descendant of a process, including descendants of an exited parent. */
export function watchProcessTree(root: number): ProcessTree {
  const seen = createProcessSet();
  return {
    record() {
      for (const { pid } of listDescendants(root)) seen.add(pid);
    },
    listSurvivors: () =>
      listProcesses()
        .filter(({ pid, stat, args }) => seen.includes(pid) && !stat.startsWith('Z') && TRACKED.test(args))
        .map(({ pid, stat, args }) => `${pid} ${stat} ${args}`),
    size: seen.size,
  };
}

/**
 * Identifies processes by pid and start time, because the system soon reuses the pid of a finished process.
 * The next process with that pid may be another test's worker.
 */
export function createProcessSet() {
  const refs = new Map<string, ProcessRef>();
  return {
    add(pid: number): void {
      const ref = referTo(pid);
      if (ref !== undefined) refs.set(`${pid} ${ref.identity}`, ref);
    },
    /** True if the process with this pid was recorded. */
    includes: (pid: number): boolean => [...refs.values()].some((ref) => ref.pid === pid && isAlive(ref)),
    size: (): number => refs.size,
  };
}

type Row = { pid: number; parent: number; stat: string; args: string };
const TRACKED = /node|redis|valkey|git/;

function listDescendants(root: number): Row[] {
  const rows = listProcesses();
  const tree = new Set([root]);
  for (let size = 0; size !== tree.size; ) {
    size = tree.size;
    for (const { pid, parent } of rows) if (tree.has(parent)) tree.add(pid);
  }
  return rows.filter(({ pid }) => pid !== root && tree.has(pid));
}

function listProcesses(): Row[] {
  const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' });
  return text.split('\n').flatMap((line): Row[] => {
    const [, pid, parent, stat, args] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (stat === undefined || args === undefined) return [];
    return [{ pid: Number(pid), parent: Number(parent), stat, args }];
  });
}
