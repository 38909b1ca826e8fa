import { execFileSync } from 'node:child_process';

/** Lists running processes with this text in their command line, as `ps` shows them. */
export function findByCommand(text: string): string[] {
  const options = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  return execFileSync('ps', ['-axww', '-o', 'pid=', '-o', 'stat=', '-o', 'command='], options)
    .split('\n')
    .filter((row) => row.includes(text) && !/^\s*\d+\s+Z/.test(row));
}
