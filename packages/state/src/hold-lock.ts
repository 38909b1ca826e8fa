import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, MERGEXO_CLI } from '@mergexo/core/basics';
import { Sqlite } from './better-sqlite3.js';
import { isSqliteError, toFailure } from './to-failure.js';

export type LockHolder = { pid: number; host: string; startedAt: string; purpose: string };
export type Lock = { release(): void };

/**
 * One owner of the state for life. An exclusive transaction on a database of its own is a lock of the operating
 * system: it ends with the process, however that dies, and needs no clean-up and no guess whether a pid is stale.
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
    if (isSqliteError(error) && error.code.startsWith('SQLITE_BUSY')) {
      throw new Failure(
        'conflict',
        `Another process owns this state: ${describeHolder(path)}. Stop it first; if \`${MERGEXO_CLI} up\` started it, stop that.`,
        {
          cause: error,
        },
      );
    }
    throw toFailure(error, path);
  }
  writeHolder(path, holder);
  return { release: () => sqlite.close() };
}

function open(path: string): Sqlite {
  try {
    return new Sqlite(path, { timeout: 0 });
  } catch (error) {
    throw toFailure(error, path);
  }
}

/** The lock itself cannot be read while it is held, so the holder's name stands beside it. */
function writeHolder(path: string, holder: LockHolder): void {
  const draft = `${path}.holder.${holder.pid}`;
  writeFileSync(draft, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  renameSync(draft, `${path}.holder`);
}

function describeHolder(path: string): string {
  try {
    const text = readFileSync(`${path}.holder`, 'utf8');
    const holder: Partial<LockHolder> = JSON.parse(text);
    return `${holder.purpose} with pid ${holder.pid} on ${holder.host}, since ${holder.startedAt}`;
  } catch {
    return `holder unknown, see ${path}`;
  }
}
