/**
 * This module is loaded into each child of `mergexo up`. Only `up` holds the child's standard input open, so the child
 * stops cleanly when `up` is gone, even after a SIGKILL.
 */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const stop = (): void => void process.kill(process.pid, 'SIGTERM');
  process.stdin.on('end', stop).on('error', stop).resume();
  process.stdin.unref();
}
