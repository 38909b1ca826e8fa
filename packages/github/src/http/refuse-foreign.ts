import type { Connection } from './send.js';

/** Throws an Error and not a `Failure`, because a write to an unconfigured repository is a bug in MergeXO. */
export function refuseForeign({ writable }: Pick<Connection, 'writable'>, repo: string | undefined): void {
  const target = String(repo).toLowerCase();
  if (writable.some((allowed) => allowed.toLowerCase() === target)) return;
  throw new Error(`refused to write to ${target}: the repository is not configured in mergexo.toml`);
}
