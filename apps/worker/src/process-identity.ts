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

function readLinux(pid: number): string {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The program's name may hold spaces and brackets, so count from the last bracket: the start time is field 22.
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return `${boot}/${started}`;
}

function readStartTime(pid: number): string | undefined {
  const text = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    // Otherwise the same start reads differently after a change of the time zone.
    env: { PATH: '/bin:/usr/bin', TZ: 'UTC', LC_ALL: 'C' },
  }).trim();
  return text === '' ? undefined : text;
}
