import { readdirSync, readFileSync } from 'node:fs';

const O_CLOEXEC = 0o2000000;

/**
 * Lists descriptors that the worker inherited, such as a channel to a supervisor. Children would inherit them too, and
 * an open descriptor bypasses any sandbox. Systems other than Linux close these descriptors.
 */
export function listInheritedFds(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd > 2 && isInherited(fd));
}

function isInherited(fd: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    // The descriptor of the directory listing itself is already closed.
    return false;
  }
}
