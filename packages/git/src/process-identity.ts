import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { codeOf } from './error-code.js';

/** Tells a process from a later one with the same pid: when it started, and in which boot. */
export function readProcessIdentity(pid: number): string | undefined {
  try {
    return read(pid);
  } catch {
    return undefined;
  }
}

/** Also when it cannot be told, for want of file handles for instance: what belongs to the living must not be taken. */
export function isSameProcess(pid: number, identity: unknown): boolean {
  try {
    return read(pid) === identity && identity !== undefined;
  } catch {
    return true;
  }
}

/** Undefined when there is no such process; throws when that cannot be told. */
function read(pid: number): string | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return process.platform === 'linux' ? readLinux(pid) : readStartTime(pid);
}

function readLinux(pid: number): string | undefined {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const stat = readStat(pid);
  if (stat === undefined) return undefined;
  // The program's name may hold spaces and brackets, so count from the last bracket: the start time is field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return isEnded(fields[0]) ? undefined : `${boot}/${fields[19]}`;
}

function readStat(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    // It may end while it is being read.
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH') return undefined;
    throw error;
  }
}

function readStartTime(pid: number): string | undefined {
  // Fixed locale and time zone: the same start must read the same to every process.
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' };
  const args = ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)];
  const { status, stdout } = spawnSync('ps', args, { encoding: 'utf8', env });
  // It ends with 1 and says nothing when there is no such process.
  if (status === 1 && stdout.trim() === '') return undefined;
  if (status !== 0) throw new Error(`ps ended with ${status}`);
  const [state, ...started] = stdout.trim().split(/\s+/);
  return isEnded(state) || started.length === 0 ? undefined : started.join(' ');
}

/** A killed process whose parent has not asked for it yet still has a pid and a start time. */
function isEnded(state: string | undefined): boolean {
  return state === undefined || /^[ZX]/.test(state);
}
