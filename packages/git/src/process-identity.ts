import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Tells a process from a later one with the same pid: when it started, and in which boot. */
export function readProcessIdentity(pid: number): string | undefined {
  try {
    return process.platform === 'linux' ? readLinux(pid) : readStartTime(pid);
  } catch {
    return undefined;
  }
}

export function isSameProcess(pid: number, identity: unknown): boolean {
  const current = readProcessIdentity(pid);
  return current !== undefined && current === identity;
}

function readLinux(pid: number): string | undefined {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The program's name may hold spaces and brackets, so count from the last bracket: the start time is field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return isEnded(fields[0]) ? undefined : `${boot}/${fields[19]}`;
}

function readStartTime(pid: number): string | undefined {
  // Fixed locale and time zone: the same start must read the same to every process.
  const env = { PATH: '/bin:/usr/bin', LC_ALL: 'C', TZ: 'UTC' };
  const args = ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)];
  const [state, ...started] = execFileSync('ps', args, { encoding: 'utf8', env }).trim().split(/\s+/);
  return isEnded(state) || started.length === 0 ? undefined : started.join(' ');
}

/** A killed process whose parent has not asked for it yet still has a pid and a start time. */
function isEnded(state: string | undefined): boolean {
  return state === undefined || /^[ZX]/.test(state);
}
