import { setTimeout as sleep } from 'node:timers/promises';
import { inSlices } from './in-slices.js';
import type { ProcessRef } from './process-identity.js';
import { listProcesses, type ProcessRow, readAllProcesses } from './process-table.js';

/** A run, and the processes that MergeXO started for it. */
type Tree = { runId: string; roots: readonly ProcessRef[] };

/**
 * The kernel may be unable to end a process, for example one that waits for a dead network disk. A later
 * orphan search retries.
 */
const LIMIT_MS = 5_000;

/**
 * Kills all processes of the run. Repeats this until none is left, because processes may fork in between. After the
 * limit, returns the survivors.
 */
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

/**
 * Lists the processes of the run. Returns undefined if that fails, for example because the run has used up
 * all pids or file handles. In that case, kills the process groups of the roots to free some.
 */
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
 * Finds the members of the run: marked processes, processes in a session or group that a root leads, and descendants
 * of members. Outside a sandbox, this misses a process that leaves its session and its parents and clears its
 * environment. In a pid namespace, nothing escapes.
 */
export function findMembers(rows: readonly ProcessRow[], { roots }: Pick<Tree, 'roots'>): ProcessRow[] {
  const ids = new Set(roots.filter((root) => isSameProcess(root, rows)).map(({ pid }) => pid));
  const first = rows.filter(
    ({ pid, group, session, marked }) => marked || ids.has(pid) || ids.has(group) || ids.has(session),
  );
  const found = new Set([...first, ...findBelow(rows, first)]);
  return [...found].filter(({ pid }) => pid !== process.pid);
}

/**
 * False if the pid was reused. The system reuses a pid only after the root and all its groups and sessions are gone.
 */
function isSameProcess({ pid, identity }: ProcessRef, rows: readonly ProcessRow[]): boolean {
  const row = rows.find((candidate) => candidate.pid === pid);
  return row === undefined || row.started === identity;
}

/**
 * Lists the members of a run, including zombies. Without a run id, processes that left the tree of the roots are not
 * found.
 */
export async function listMembers({
  runId,
  roots,
}: Pick<Tree, 'roots'> & { runId?: string }): Promise<number[]> {
  const rows: ProcessRow[] = [];
  await inSlices(readAllProcesses(runId), (row) => void rows.push(row));
  return findMembers(rows, { roots }).map(({ pid }) => pid);
}

/** Sends SIGKILL to a process and its descendants without waiting. Does not find processes that left the tree. */
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

/** Lists all descendants, without the process itself. */
export function findDescendants(rows: readonly ProcessRow[], pid: number): number[] {
  const below = findBelow(
    rows,
    rows.filter((row) => row.pid === pid),
  );
  return below.map((row) => row.pid);
}

/**
 * Finds all descendants of `tops`. Avoids recursion, because an agent can build a chain of processes that is longer
 * than our stack.
 */
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

/**
 * Kills the members. Signals groups first, because that reaches all members at once and a fork bomb cannot outrun it.
 */
function killAll(members: readonly ProcessRow[], rows: readonly ProcessRow[]): void {
  const own = rows.find(({ pid }) => pid === process.pid)?.group;
  const groups = new Set(members.map(({ group }) => group).filter((group) => group > 1 && group !== own));
  for (const group of groups) sendSignal(-group, 'SIGKILL');
  for (const { pid } of members) sendSignal(pid, 'SIGKILL');
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH: the process has ended. EPERM: the process belongs to another user.
  }
}
