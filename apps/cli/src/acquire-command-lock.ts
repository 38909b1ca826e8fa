import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '@mergexo/config';
import { Failure, MERGEXO_CLI } from '@mergexo/core/basics';
import { holdLock, type Lock } from '@mergexo/state/hold-lock';

/**
 * Returns the path to the lock that `up` holds until it exits. A separate lock is needed, because the poller's own lock
 * is released on each restart.
 */
export function upLockPath({ config }: Settings): string {
  return join(config.runtime.baseDir, 'up.lock');
}

/**
 * Takes a lock for a command that starts its own poller. If another process holds the lock, the error names that
 * process.
 */
export function acquireCommandLock(path: string, command: 'up' | 'run --once'): Lock {
  const startedAt = new Date().toISOString();
  try {
    return holdLock(path, { pid: process.pid, host: hostname(), startedAt, purpose: `mergexo ${command}` });
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'conflict') throw error;
    const message = `\`${MERGEXO_CLI} ${command}\` cannot start its own poller. ${error.message}`;
    throw new Failure('conflict', message, { cause: error });
  }
}
