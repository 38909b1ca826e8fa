import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Settings } from '@mergexo/config';
import type { Finding } from './finding.js';

const GIB = 1024 ** 3;
const MIN_FREE_BYTES = GIB;

/** Checks that the base directory is writable and has free space for mirrors and checkouts. */
export function checkDisk({ config }: Settings): Finding {
  const { baseDir } = config.runtime;
  const existing = nearestExisting(baseDir);
  if (!isWritable(existing)) {
    const detail = `${baseDir} is not writable`;
    return { name: 'disk', status: 'failure', detail, fix: `Give yourself write access to ${existing}.` };
  }
  const { bavail, bsize } = statfsSync(existing);
  const free = bavail * bsize;
  const detail = `${(free / GIB).toFixed(1)} GiB free for ${baseDir}`;
  if (free >= MIN_FREE_BYTES) return { name: 'disk', status: 'ok', detail };
  const fix = 'Free at least 1 GiB, or change runtime.base_dir.';
  return { name: 'disk', status: 'failure', detail, fix };
}

function nearestExisting(path: string): string {
  return existsSync(path) ? path : nearestExisting(dirname(path));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
