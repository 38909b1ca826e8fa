/**
 * Loaded before a child of `mergexo up`: its standard input is held open by `up` and by nobody else. When `up` is gone,
 * however it went, the child drains and goes too.
 */
import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  const leave = (): void => void process.kill(process.pid, 'SIGTERM');
  process.stdin.on('end', leave).on('error', leave).resume();
  process.stdin.unref();
}
