import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findDescendants, findMembers, killTree } from './end-tree.js';
import { isAlive, referTo } from './process-identity.js';

describe('findMembers', () => {
  const row = (pid: number, parent: number, more: object = {}) => ({
    pid,
    parent,
    group: pid,
    session: pid,
    started: 'then',
    marked: false,
    ...more,
  });
  const root = (pid: number) => ({ pid, identity: 'then' });

  it('finds the root, its session, its group, marked processes and all their descendants, and no others', () => {
    const rows = [
      row(1, 0),
      row(15, 14),
      row(10, 1),
      row(11, 1, { session: 10 }),
      row(12, 1, { group: 10 }),
      row(13, 1, { marked: true }),
      row(14, 13),
      row(20, 1),
      row(21, 20),
    ];
    const members = findMembers(rows, { roots: [root(10)] }).map(({ pid }) => pid);
    expect(members.sort()).toEqual([10, 11, 12, 13, 14, 15]);
    expect(findMembers(rows, { roots: [] }).map(({ pid }) => pid)).toEqual([13, 14, 15]);
  });

  it('finds the group of a dead root, but not a new process with the same pid', () => {
    const led = row(11, 1, { session: 10, group: 10 });
    const pids = (rows: ReturnType<typeof row>[]) =>
      findMembers(rows, { roots: [root(10)] }).map(({ pid }) => pid);
    expect(pids([row(1, 0), led])).toEqual([11]);
    expect(pids([row(1, 0), row(10, 1, { started: 'later' }), led])).toEqual([]);
  });

  it('follows a chain of processes that is too long for recursion, in any order', () => {
    const chain = Array.from({ length: 50_000 }, (_, index) => row(100_000 - index, 100_001 - index));
    const rows = [row(100_001, 1), ...chain].reverse();
    expect(findDescendants(rows, 100_001)).toHaveLength(50_000);
    expect(findMembers(rows, { roots: [root(100_001)] })).toHaveLength(50_001);
  });

  it('never includes our own process', () => {
    expect(findMembers([row(process.pid, 1, { marked: true })], { roots: [root(process.pid)] })).toEqual([]);
  });
});

describe('killTree', () => {
  it('kills a process and its children, even a child in its own session', async () => {
    const child = `require('child_process').spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })`;
    const script = `console.log(${child}.pid); setInterval(() => {}, 1000)`;
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [printed] = await once(parent.stdout, 'data');
    const below = referTo(Number(printed));
    if (below === undefined || parent.pid === undefined) throw new Error('nothing was started');
    killTree(parent.pid);
    await once(parent, 'exit');
    while (isAlive(below)) await new Promise((resolve) => setTimeout(resolve, 10));
  });

  it('ignores a process that is gone', () => {
    expect(() => killTree(2 ** 22 + 1)).not.toThrow();
  });
});
