import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeTree } from '@mergexo/process';

export type SetupHome = ReturnType<typeof openSetupHome>;

/**
 * The home directory that setup, the agent's commands and the tests share in one slot. It contains the caches of their
 * tools. Programs see only `current`. `kept` is replaced only after setup ran on the files of the base branch, so that
 * an agent's code cannot change the home of later turns.
 */
export function openSetupHome(directory: string, signal: AbortSignal) {
  const [current, kept, fresh] = [
    join(directory, 'current'),
    join(directory, 'kept'),
    join(directory, 'kept.new'),
  ];
  let isLent = false;
  const clear = async (): Promise<void> => {
    isLent = false;
    for (const path of [current, fresh]) await removeTree(path);
  };
  return {
    /** The home for programs; undefined before setup. */
    path: () => (isLent ? current : undefined),
    /**
     * Prepares the home for setup. Setup on the base branch uses the kept home itself; other runs get a copy. Returns
     * false if the home is empty.
     */
    lend: async (isBase: boolean): Promise<boolean> => {
      await clear();
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const isKept = existsSync(kept) && (isBase ? move(kept, current) : await copy(kept, current, signal));
      if (!isKept) mkdirSync(current, { mode: 0o700 });
      isLent = true;
      return isKept;
    },
    /** Keeps the current home for later turns. After a crash halfway, the next setup starts empty. */
    keep: async (): Promise<void> => {
      await removeTree(kept);
      if (await copy(current, fresh, signal)) move(fresh, kept);
    },
    /** Removes the kept home, because it may be the reason why setup failed. */
    forget: () => removeTree(kept),
    clear,
  };
}

function move(from: string, to: string): true {
  renameSync(from, to);
  return true;
}

/** A copy that takes longer costs more time than setup saves with it. */
const COPY_MS = 10 * 60_000;
/** Hard links stay links, because a small home with many links to a large file would fill the disk. */
const CP = process.platform === 'linux' ? ['-RPp', '--preserve=links'] : ['-RPp'];

/**
 * Copies a home, with links as links. Removes a partial copy and returns false on failure, because a home is only a
 * cache.
 */
async function copy(from: string, to: string, signal: AbortSignal): Promise<boolean> {
  const env = { PATH: '/usr/bin:/bin:/run/current-system/sw/bin' };
  try {
    await promisify(execFile)('cp', [...CP, from, to], {
      env,
      signal,
      timeout: COPY_MS,
      killSignal: 'SIGKILL',
    });
    return true;
  } catch {
    await removeTree(to);
    return false;
  }
}
