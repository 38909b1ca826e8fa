import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessRef } from './process-identity.js';
import { listProcesses, type ProcessRow } from './process-table.js';

/** A run, and the processes of it that we started ourselves. */
type Tree = { runId: string; roots: readonly ProcessRef[] };

/** A process that the kernel cannot end in this time (a dead network disk) is left to a later search for orphans. */
const LIMIT_MS = 5_000;

/** Kills until no process of the run is left and returns the survivors. Forks meanwhile are killed in the next round. */
export async function endTree(tree: Tree): Promise<number[]> {
  const deadline = performance.now() + LIMIT_MS;
  for (let round = 0; ; round += 1) {
    const isLast = performance.now() > deadline;
    const rows = tryToList(tree, isLast);
    if (rows !== undefined) {
      const members = findMembers(rows, tree);
      if (members.length === 0) return [];
      if (isLast) return members.map(({ pid }) => pid);
      killAll(members, rows);
    }
    await sleep(Math.min(2 ** round, 50));
  }
}

/** A run may have used up the machine's processes or file handles: killing the roots' groups frees some. */
function tryToList({ runId, roots }: Tree, isLast: boolean): ProcessRow[] | undefined {
  try {
    return listProcesses(runId);
  } catch (error) {
    if (isLast) throw error;
    for (const { pid } of roots) sendSignal(-pid, 'SIGKILL');
    return undefined;
  }
}

/**
 * Members are marked, or in a session or group that a root leads, or below a member. Outside a sandbox this misses a
 * process that sheds its session, its parents and its environment all at once; a pid namespace misses none.
 */
export function findMembers(rows: readonly ProcessRow[], { roots }: Pick<Tree, 'roots'>): ProcessRow[] {
  const ids = new Set(roots.filter((root) => isStillIts(root, rows)).map(({ pid }) => pid));
  const first = rows.filter(
    ({ pid, group, session, marked }) => marked || ids.has(pid) || ids.has(group) || ids.has(session),
  );
  const found = new Set([...first, ...findBelow(rows, first)]);
  return [...found].filter(({ pid }) => pid !== process.pid);
}

/** The system reuses a pid only when no process, group or session has it; then a root and all its groups are gone. */
function isStillIts({ pid, identity }: ProcessRef, rows: readonly ProcessRow[]): boolean {
  const row = rows.find((candidate) => candidate.pid === pid);
  return row === undefined || row.started === identity;
}

/** Sends SIGKILL to a process and its descendants, and does not wait. Processes that left the tree are not found. */
export function killTree(pid: number): void {
  for (const member of [pid, ...listDescendants(pid)]) sendSignal(member, 'SIGKILL');
}

function listDescendants(pid: number): number[] {
  try {
    return findDescendants(listProcesses(), pid);
  } catch {
    return [];
  }
}

/** Below the process, without itself. */
export function findDescendants(rows: readonly ProcessRow[], pid: number): number[] {
  const below = findBelow(
    rows,
    rows.filter((row) => row.pid === pid),
  );
  return below.map((row) => row.pid);
}

/** Without recursion: an agent can build a chain of processes that is longer than our stack. */
function findBelow(rows: readonly ProcessRow[], tops: readonly ProcessRow[]): ProcessRow[] {
  const children = new Map<number, ProcessRow[]>();
  for (const row of rows) {
    const siblings = children.get(row.parent);
    if (siblings === undefined) children.set(row.parent, [row]);
    else siblings.push(row);
  }
  const seen = new Set(tops);
  const below: ProcessRow[] = [];
  for (let level = [...tops]; level.length > 0; ) {
    level = level.flatMap(({ pid }) => children.get(pid) ?? []).filter((row) => !seen.has(row));
    for (const row of level) {
      seen.add(row);
      below.push(row);
    }
  }
  return below;
}

/** By group first: that reaches every member of it at once, so that a fork bomb cannot run ahead. */
function killAll(members: readonly ProcessRow[], rows: readonly ProcessRow[]): void {
  const own = rows.find(({ pid }) => pid === process.pid)?.group;
  const groups = new Set(members.map(({ group }) => group).filter((group) => group > 1 && group !== own));
  for (const group of groups) sendSignal(-group, 'SIGKILL');
  for (const { pid } of members) sendSignal(pid, 'SIGKILL');
}

/** Ignores a process that is already gone. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: it ended by itself. EPERM: it is not ours.
  }
}
