import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { codeOf } from './error-code.js';

/** Every process of a run inherits this variable, even in a new session, under a new parent or in another directory. */
export const RUN_MARKER = 'MERGEXO_RUN_ID';

/** Larger than the environments that MergeXO starts programs with. */
const MAX_ENVIRON_BYTES = 256 * 1024;
const NUL = Buffer.from([0]);

export type ProcessRow = {
  pid: number;
  parent: number;
  group: number;
  /** 0 if the system does not report sessions. */
  session: number;
  /** The start time (on Linux with the boot id), which distinguishes the process from a later one with the same pid. */
  started: string;
  /** True if the process was started with the run's marker in its environment. */
  marked: boolean;
};

/** The state of one process, which may be a zombie. */
type ProcessState = Omit<ProcessRow, 'marked'> & { living: boolean };

/** Runs `ps` with these arguments and returns its output, which is empty if `ps` finds no process. */
type Ps = (args: readonly string[]) => string;

/** Lists the visible processes except zombies, which hold no resources. Without a run id, no process is marked. */
export function listProcesses(runId?: string): ProcessRow[] {
  return [...readAllProcesses(runId)].flatMap(({ living, ...row }) => (living ? [row] : []));
}

/**
 * Lists all visible processes, including zombies, which the kernel counts as processes of their user. On
 * Linux, reads each process only when the caller asks for it.
 */
export function readAllProcesses(runId?: string): Iterable<ProcessRow & ProcessState> {
  const marker = runId === undefined ? undefined : `${RUN_MARKER}=${runId}`;
  return process.platform === 'linux' ? readLinux(marker) : readPs(runPs, marker);
}

/**
 * Returns the state of a process; undefined if there is no such process. Throws if the process table is unreadable,
 * because the process may be alive.
 */
export function readProcess(pid: number): ProcessState | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (process.platform !== 'linux') {
    return parsePs(runPs([...NUMBERS, '-p', String(pid)])).find((state) => state.pid === pid);
  }
  const stat = readIfThere(`/proc/${pid}/stat`);
  return stat === undefined ? undefined : parseStat(stat, readBootId());
}

function* readLinux(marker: string | undefined): Generator<ProcessRow & ProcessState> {
  const boot = readBootId();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = readIfThere(`/proc/${name}/stat`);
    if (stat === undefined) continue;
    const row = parseStat(stat, boot);
    const marked = marker !== undefined && row.living && isMarkedWith(marker, name);
    yield { ...row, marked };
  }
}

function readBootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/**
 * True if the environment of a process contains the marker. Reads only the beginning, because a program can make its
 * own environment appear as large as its memory.
 */
function isMarkedWith(marker: string, pid: string): boolean {
  let file: number | undefined;
  try {
    file = openSync(`/proc/${pid}/environ`, 'r');
    const start = Buffer.alloc(MAX_ENVIRON_BYTES);
    let size = 0;
    for (let read = -1; read !== 0 && size < start.length; size += read)
      read = readSync(file, start, size, start.length - size, null);
    return Buffer.concat([NUL, start.subarray(0, size), NUL]).includes(`\0${marker}\0`);
  } catch (error) {
    // The process belongs to another user or has just ended.
    if (['EACCES', 'EPERM', 'ENOENT', 'ESRCH'].includes(codeOf(error) ?? '')) return false;
    throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(codeOf(error) ?? '')) return undefined;
    throw error;
  }
}

/**
 * Parses `/proc/<pid>/stat`. The fields follow the program's name, which is in parentheses and may itself contain
 * parentheses and spaces.
 */
export function parseStat(stat: string, boot: string): ProcessState {
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [parent = 0, group = 0, session = 0] = fields.slice(0, 3).map(Number);
  const threads = Number(fields[16]);
  // A process whose first thread has ended looks like a zombie while other threads run.
  const living = !(state === 'Z' || state === 'X') || threads > 1;
  return { pid: Number.parseInt(stat, 10), parent, group, session, started: `${boot}/${fields[18]}`, living };
}

/** Returns one option per field, because some versions of `ps` treat all text after the first `=` as a heading. */
const columns = (...names: string[]): string[] => names.flatMap((name) => ['-o', `${name}=`]);
const NUMBERS = columns('pid', 'ppid', 'pgid', 'stat', 'lstart');

/**
 * Lists processes without /proc. `ps` prints the environment after the command, where a program can fake whole rows
 * with line breaks. So the numbers come from a list without such text, and a marker counts only if `ps` prints it for
 * that process alone.
 */
export function readPs(ps: Ps, marker: string | undefined): (ProcessRow & ProcessState)[] {
  const marked = marker === undefined ? [] : listMarked(ps, marker);
  return parsePs(ps(['-ax', ...NUMBERS])).map((row) => ({ ...row, marked: marked.includes(row.pid) }));
}

function listMarked(ps: Ps, marker: string): number[] {
  const isMarked = (text: string): boolean => ` ${text.replaceAll('\n', ' ')} `.includes(` ${marker} `);
  const suspects = ps(['-axEww', ...columns('pid', 'command')])
    .split('\n')
    .filter(isMarked)
    .map((row) => Number.parseInt(row, 10));
  return suspects.filter((pid) => isMarked(ps(['-Eww', ...columns('command'), '-p', String(pid)])));
}

function parsePs(text: string): ProcessState[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, group, state, started] =
      /^(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*)$/.exec(line.trim()) ?? [];
    if (started === undefined) return [];
    const living = !/^[ZX]/.test(state ?? '');
    // Removes the padding that some versions of `ps` add, because the identity is stored and compared as text.
    const start = started.replace(/\s+/g, ' ');
    return [
      { pid: Number(pid), parent: Number(parent), group: Number(group), session: 0, started: start, living },
    ];
  });
}

function runPs(args: readonly string[]): string {
  try {
    return execFileSync('/bin/ps', args, {
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
      // Start times depend on the language and time zone, but all workers must read the same text.
      env: { LC_ALL: 'C', TZ: 'UTC' },
    });
  } catch (error) {
    const { status, stdout } = Object(error);
    if (status === 1 && stdout === '') return '';
    throw error;
  }
}
