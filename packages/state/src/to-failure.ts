import { Failure } from '@mergexo/core/basics';

/**
 * Turns a disk or lock error from SQLite into a Failure with a next step. Any other error is a bug and stays unchanged.
 */
export function toFailure(error: unknown, path: string): unknown {
  if (!isSqliteError(error)) return error;
  const { code } = error;
  if (code === 'SQLITE_FULL') {
    return new Failure(
      'unavailable',
      `No space is left for ${path}; nothing was written. Free some disk space, then start MergeXO again.`,
      {
        cause: error,
      },
    );
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new Failure(
      'unavailable',
      `${path} is locked by another program (a backup?); nothing was written. MergeXO will retry.`,
      { cause: error },
    );
  }
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
    return new Failure('invalid-data', describeDamage(path, error.message), { cause: error });
  }
  if (
    code.startsWith('SQLITE_IOERR') ||
    code.startsWith('SQLITE_CANTOPEN') ||
    code.startsWith('SQLITE_READONLY')
  ) {
    return new Failure(
      'unavailable',
      `${path} cannot be read or written (${code}). Check the disk and its permissions, then start MergeXO again.`,
      { cause: error },
    );
  }
  return error;
}

/** True for a full, damaged or read-only disk, which only a person can fix. False for a lock, which ends soon. */
export function isDiskTrouble(error: unknown): boolean {
  if (error instanceof Failure) return isDiskTrouble(error.cause);
  return isSqliteError(error) && DISK_CODES.some((code) => error.code.startsWith(code));
}

const DISK_CODES = [
  'SQLITE_FULL',
  'SQLITE_IOERR',
  'SQLITE_CANTOPEN',
  'SQLITE_READONLY',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
];

export function describeDamage(path: string, detail: string): string {
  return (
    `${path} is damaged (${detail}). Nothing was changed. Restore a backup, or move the file and its -wal and -shm ` +
    'files away: MergeXO then rebuilds its state from GitHub.'
  );
}

/**
 * True for an SQLite error. Checks the shape, because the native module keeps the error class of its first loader, so
 * `instanceof` is unreliable.
 */
export function isSqliteError(error: unknown): error is Error & { code: string } {
  if (typeof error !== 'object' || error === null) return false;
  return 'code' in error && typeof error.code === 'string' && error.code.startsWith('SQLITE_');
}
