import { execFile } from 'node:child_process';

const WALK_MS = 60_000;
const SEARCH_PATH = '/usr/bin:/bin:/run/current-system/sw/bin';

type Walk = { signal: AbortSignal; limitMs?: number; searchPath?: string };

/**
 * Returns how many bytes of disk space the directories use. `du` counts a file with several hard links once, follows no
 * symbolic links, and stays on one file system. It skips directories that it cannot read. A tree that takes too long to
 * measure counts as too large.
 */
export function measureDirectories(
  directories: readonly string[],
  { signal, limitMs = WALK_MS, searchPath = SEARCH_PATH }: Walk,
): Promise<number> {
  const env = { PATH: searchPath, LC_ALL: 'C' };
  return new Promise((resolve) => {
    const options = {
      env,
      signal,
      timeout: limitMs,
      killSignal: 'SIGKILL',
      maxBuffer: 16 * 1024 * 1024,
    } as const;
    execFile('du', ['-skx', ...directories], options, (error, stdout) => {
      if (error?.killed === true) return resolve(Number.POSITIVE_INFINITY);
      const sizes = stdout.split('\n').map((line) => Number.parseInt(line, 10));
      resolve(1024 * sizes.filter(Number.isSafeInteger).reduce((sum, size) => sum + size, 0));
    });
  });
}
