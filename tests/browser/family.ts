import { execFileSync } from 'node:child_process';

export type Family = {
  /** Remembers everything that runs below it now. */
  note(): void;
  /** Of all that was remembered: what still runs, as `pid stat args`. */
  listLeft(): string[];
  size(): number;
};

/** Everything that a process starts, also what outlives its parent: that belongs to nobody then and is easily missed. */
export function watchFamily(root: number): Family {
  const seen = new Set<number>();
  return {
    note() {
      for (const { pid } of listDescendants(root)) seen.add(pid);
    },
    listLeft: () =>
      listProcesses()
        // A number alone may have become somebody else's.
        .filter(({ pid, stat, args }) => seen.has(pid) && !stat.startsWith('Z') && OURS.test(args))
        .map(({ pid, stat, args }) => `${pid} ${stat} ${args}`),
    size: () => seen.size,
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
