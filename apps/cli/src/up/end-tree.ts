import { execFileSync } from 'node:child_process';

/**
 * Ends a process and everything that it started, at once: agents are in sessions of their own, and would go on without
 * the worker that pays attention to them. Whoever left the tree is found by the next worker.
 */
export function endTree(root: number): void {
  const tree = [root, ...listDescendants(root)];
  for (const pid of tree) kill(pid);
}

function listDescendants(root: number): number[] {
  const rows = readTable();
  const family = new Set([root]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const [pid, parent] of rows) if (family.has(parent)) family.add(pid);
  }
  family.delete(root);
  return [...family];
}

function readTable(): [pid: number, parent: number][] {
  try {
    const text = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8', timeout: 5_000 });
    return text.split('\n').flatMap((line): [number, number][] => {
      const [, pid, parent] = /^\s*(\d+)\s+(\d+)\s*$/.exec(line) ?? [];
      return pid === undefined || parent === undefined ? [] : [[Number(pid), Number(parent)]];
    });
  } catch {
    return [];
  }
}

/** It may be gone already. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
}
