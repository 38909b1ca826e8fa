import { execFileSync } from 'node:child_process';
import { parseStat, readPs } from './process-table.js';

const LSTART = 'Mon Nov 16 05:05:00 2026';

/** Imitates the output of `ps` on a machine without /proc. */
function playPs(commands: Record<number, string>, rows: readonly string[]) {
  return (args: readonly string[]): string => {
    if (args.includes('-p')) return commands[Number(args[args.length - 1])] ?? '';
    if (args.includes('command=')) {
      return Object.entries(commands)
        .map(([pid, command]) => `  ${pid} ${command}`)
        .join('\n');
    }
    return rows.join('\n');
  };
}

describe('readPs', () => {
  const rows = [
    `    1     0     1 Ss   ${LSTART}`,
    `  501     1   501 S+   ${LSTART}  `,
    `  502   501   502 Z    ${LSTART}`,
    `  503     1   503 S    ${LSTART}`,
  ];

  it('lists processes on a system without /proc', () => {
    const commands = {
      1: '/sbin/launchd',
      501: 'node agent.js PATH=/bin MERGEXO_RUN_ID=abc HOME=/h',
      503: 'node agent.js MERGEXO_RUN_ID=abcd',
    };
    const row = { parent: 1, session: 0, started: LSTART, marked: false, living: true };
    expect(readPs(playPs(commands, rows), 'MERGEXO_RUN_ID=abc')).toEqual([
      { ...row, pid: 1, parent: 0, group: 1 },
      { ...row, pid: 501, group: 501, marked: true },
      { ...row, pid: 502, parent: 501, group: 502, living: false },
      { ...row, pid: 503, group: 503 },
    ]);
  });

  it('parses the `ps` of this machine', () => {
    const ps = (args: readonly string[]): string =>
      execFileSync(
        '/bin/ps',
        args.map((arg) => arg.replace('E', '')),
        { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, env: { LC_ALL: 'C', TZ: 'UTC' } },
      );
    const row = readPs(ps, 'MERGEXO_RUN_ID=abc').find(({ pid }) => pid === process.pid);
    expect(row).toMatchObject({
      parent: process.ppid,
      started: expect.stringMatching(/ \d\d:\d\d:\d\d \d{4}$/),
    });
  });

  it('ignores a row that a process wrote into its own environment', () => {
    const commands = {
      1: '/sbin/launchd',
      501: 'node agent.js MERGEXO_RUN_ID=abc NOTE=x\n  503     1   503 S    node MERGEXO_RUN_ID=abc ',
      503: 'somebody else',
    };
    const marked = readPs(playPs(commands, rows), 'MERGEXO_RUN_ID=abc').filter((row) => row.marked);
    expect(marked.map(({ pid }) => pid)).toEqual([501]);
  });
});

describe('parseStat', () => {
  const stat = (state: string, threads: number): string =>
    `70 (a) b (c) ${state} 7 8 9 0 -1 4 0 0 0 0 0 0 0 0 20 0 ${threads} 0 1234 0 0`;

  it('parses the fields after a program name that contains parentheses', () => {
    const row = { pid: 70, parent: 7, group: 8, session: 9, started: 'boot/1234' };
    expect(parseStat(stat('S', 1), 'boot')).toEqual({ ...row, living: true });
  });

  it.each<[string, number, boolean]>([
    ['Z', 1, false],
    ['X', 0, false],
    ['Z', 2, true],
  ])('reads the state %s with %d threads as alive: %s', (state, threads, living) => {
    expect(parseStat(stat(state, threads), 'boot')).toMatchObject({ living });
  });
});
