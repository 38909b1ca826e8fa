import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '@mergexo/config';
import { Failure, MERGEXO_CLI } from '@mergexo/core/basics';
import { holdLock, type Lock } from '@mergexo/state';

/** Held by `up` for life; its poller takes the poller's lock later, and anew after each restart. */
export function upLockOf({ config }: Settings): string {
  return join(config.runtime.baseDir, 'up.lock');
}

/** Takes a lock for a command that brings its own poller. The failure names the holder. */
export function holdAlone(path: string, command: 'up' | 'run --once'): Lock {
  const startedAt = new Date().toISOString();
  try {
    return holdLock(path, { pid: process.pid, host: hostname(), startedAt, purpose: `mergexo ${command}` });
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'conflict') throw error;
    const message = `\`${MERGEXO_CLI} ${command}\` brings its own poller, and one is running here already. ${error.message}`;
    throw new Failure('conflict', message, { cause: error });
  }
}
