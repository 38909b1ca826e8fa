import type { Connection } from './send.js';

/** A write to a repository that is not configured is a bug of ours, so it is no failure of GitHub. */
export function refuseForeign({ writable }: Pick<Connection, 'writable'>, repo: string | undefined): void {
  const target = String(repo).toLowerCase();
  if (writable.some((allowed) => allowed.toLowerCase() === target)) return;
  throw new Error(`refused to write to ${target}: it is not configured`);
}
