import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, MERGEXO_CLI } from '@mergexo/core/basics';
import { Sqlite } from './better-sqlite3.js';
import { isSqliteError, toFailure } from './to-failure.js';

export type LockHolder = { pid: number; host: string; startedAt: string; purpose: string };
export type Lock = { release(): void };

/**
 * Ensures that only one process at a time owns the state. The lock is an exclusive transaction on a separate database.
 * The operating system releases the lock when the process dies, so there are no stale pids to clean up.
 */
export function holdLock(path: string, holder: LockHolder): Lock {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const sqlite = open(path);
  try {
    chmodSync(path, 0o600);
    sqlite.pragma('journal_mode = DELETE');
    sqlite.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    sqlite.close();
    if (isBusy(error)) {
      throw new Failure(
        'conflict',
        `${explainHolder(path)} Stop that process first. If \`${MERGEXO_CLI} up\` started it, stop \`up\` instead.`,
        { cause: error },
      );
    }
    throw toFailure(error, path);
  }
  writeHolder(path, holder);
  return { release: () => sqlite.close() };
}

/** Names the process that holds the lock; undefined if none does. Cheaper than trying to take the lock. */
export function findLockHolder(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const sqlite = open(path);
  try {
    sqlite.exec('SELECT 1 FROM sqlite_master');
    return undefined;
  } catch (error) {
    if (isBusy(error)) return explainHolder(path);
    throw toFailure(error, path);
  } finally {
    sqlite.close();
  }
}

function isBusy(error: unknown): boolean {
  return isSqliteError(error) && error.code.startsWith('SQLITE_BUSY');
}

function open(path: string): Sqlite {
  try {
    return new Sqlite(path, { timeout: 0 });
  } catch (error) {
    throw toFailure(error, path);
  }
}

/** Writes the holder to a separate file, because other processes cannot read the lock database while it is locked. */
function writeHolder(path: string, holder: LockHolder): void {
  const draft = `${path}.holder.${holder.pid}`;
  writeFileSync(draft, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  renameSync(draft, `${path}.holder`);
}

function explainHolder(path: string): string {
  return `Another process is using this database: ${describeHolder(path)}.`;
}

function describeHolder(path: string): string {
  try {
    const text = readFileSync(`${path}.holder`, 'utf8');
    const holder: Partial<LockHolder> = JSON.parse(text);
    return `${holder.purpose} with pid ${holder.pid} on ${holder.host}, running since ${holder.startedAt}`;
  } catch {
    return `an unknown process that holds the lock ${path}`;
  }
}
