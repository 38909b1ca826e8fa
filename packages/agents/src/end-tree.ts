import { setTimeout as sleep } from 'node:timers/promises';
import { listProcesses, type ProcessRow } from './process-table.js';

/** A run, and the processes of it that we started ourselves and know to be the same still. */
export type Tree = { runId: string; roots: readonly number[] };

/** What the kernel cannot end in this time (a dead network disk) is left to whoever looks for orphans later. */
const LIMIT_MS = 5_000;

/** Kills until nothing is left and names what would not go. A process that forks meanwhile is met in the next round. */
export async function endTree(tree: Tree): Promise<number[]> {
  const deadline = performance.now() + LIMIT_MS;
  for (let round = 0; ; round += 1) {
    const rows = listProcesses(tree.runId);
    const members = findMembers(rows, tree);
    if (members.length === 0) return [];
    if (performance.now() > deadline) return members.map(({ pid }) => pid);
    killAll(members, rows);
    await sleep(Math.min(2 ** round, 50));
  }
}

/**
 * Members are marked, or in a session or group that a root leads, or below a member. Outside a sandbox this misses a
 * process that sheds its session, its parents and its environment all at once; a pid namespace misses none.
 */
export function findMembers(rows: readonly ProcessRow[], { roots }: Pick<Tree, 'roots'>): ProcessRow[] {
  const members = new Map<number, ProcessRow>();
  const belongs = ({ pid, parent, group, session, marked }: ProcessRow): boolean =>
    marked || [pid, group, session].some((id) => roots.includes(id)) || members.has(parent);
  for (let before = -1; before < members.size; ) {
    before = members.size;
    for (const row of rows) if (row.pid !== process.pid && belongs(row)) members.set(row.pid, row);
  }
  return [...members.values()];
}

/** Below the process, without itself. */
export function findDescendants(rows: readonly ProcessRow[], pid: number): number[] {
  const children = rows.filter(({ parent }) => parent === pid).map((row) => row.pid);
  return children.flatMap((child) => [child, ...findDescendants(rows, child)]);
}

/** By group first: that reaches every member of it at once, so that a fork bomb cannot run ahead. */
function killAll(members: readonly ProcessRow[], rows: readonly ProcessRow[]): void {
  const own = rows.find(({ pid }) => pid === process.pid)?.group;
  const groups = new Set(members.map(({ group }) => group).filter((group) => group > 1 && group !== own));
  for (const group of groups) sendSignal(-group, 'SIGKILL');
  for (const { pid } of members) sendSignal(pid, 'SIGKILL');
}

/** Whoever is gone already needs no signal. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: it ended by itself. EPERM: it is not ours.
  }
}
