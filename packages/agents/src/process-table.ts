import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Every process of a run inherits it, wherever it moves: a new session, a new parent, another directory. */
export const RUN_MARKER = 'MERGEXO_RUN_ID';

export type ProcessRow = {
  pid: number;
  parent: number;
  group: number;
  /** 0 where the system does not tell. */
  session: number;
  /** Carries the run's marker in the environment it was started with. */
  marked: boolean;
};

/** The living processes that we may see; a zombie holds nothing and cannot be ended any further. */
export function listProcesses(runId: string): ProcessRow[] {
  const marker = `${RUN_MARKER}=${runId}`;
  if (process.platform === 'linux') return readLinux(marker);
  const options = { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 } as const;
  return parsePs(execFileSync('ps', ['-axEww', '-o', 'pid=,ppid=,pgid=,stat=,command='], options), marker);
}

function readLinux(marker: string): ProcessRow[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const row = parseStat(readFileSync(`/proc/${name}/stat`, 'utf8'));
        return row === undefined ? [] : [{ ...row, marked: readEnviron(name).includes(marker) }];
      } catch {
        // It ended while we were looking.
        return [];
      }
    });
}

function readEnviron(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    // Somebody else's process: not ours to end.
    return [];
  }
}

/** The fields after the program's name, which is in brackets and may itself hold brackets. */
function parseStat(stat: string): Omit<ProcessRow, 'marked'> | undefined {
  const pid = Number.parseInt(stat, 10);
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return undefined;
  const [parent = 0, group = 0, session = 0] = fields.slice(0, 3).map(Number);
  return { pid, parent, group, session };
}

/** Without /proc the environment stands behind the command; programs of the system itself do not show theirs. */
export function parsePs(text: string, marker: string): ProcessRow[] {
  return text.split('\n').flatMap((row) => {
    const [, pid, parent, group, state, command] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(row) ?? [];
    if (command === undefined || state?.startsWith('Z')) return [];
    const marked = ` ${command} `.includes(` ${marker} `);
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: 0, marked }];
  });
}
