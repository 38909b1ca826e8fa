import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const askPs = (pid: number, column: string): string =>
  execFileSync('ps', ['-o', `${column}=`, '-p', String(pid)], { encoding: 'utf8' }).trim();

/** Returns the resident memory of a process. Both sources report kibibytes. */
export function readRssMb(pid: number): number {
  const file = `/proc/${pid}/status`;
  const kibibytes = existsSync(file)
    ? (/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? 0)
    : askPs(pid, 'rss');
  return Number(kibibytes) / 1_024;
}

/** Length of a tick in `/proc/PID/stat`. Linux shows the same unit to all programs. */
const TICKS_PER_SECOND = 100;

/** Returns the CPU time that a process has used. On Linux, reads the kernel's file, because `ps` rounds to seconds and may be missing. */
export function readCpuMs(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return parseCpuTime(askPs(pid, 'time'));
  return parseStatTicks(readFileSync(file, 'utf8')) * (1_000 / TICKS_PER_SECOND);
}

/** Reads user and system time from `/proc/PID/stat`. The name in parentheses may contain spaces and parentheses. */
export function parseStatTicks(stat: string): number {
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return Number(user) + Number(system);
}

/** Parses `[[dd-]hh:]mm:ss[.cc]` into milliseconds. */
export function parseCpuTime(text: string): number {
  const [days, clock] = text.includes('-') ? text.split('-') : ['0', text];
  const seconds = (clock ?? '').split(':').reduce((sum, part) => 60 * sum + Number(part), 0);
  return Math.round((Number(days) * 86_400 + seconds) * 1_000);
}
