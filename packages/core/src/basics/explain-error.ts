/** The command line is wrong: an unknown option or an invalid value. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The usual exit code for wrong usage, so that scripts can distinguish wrong usage from a failure. */
export const USAGE_EXIT_CODE = 2;

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is exceeded',
  ENOTDIR: 'part of the path is a file, not a directory',
  EISDIR: 'the path is a directory',
};

/**
 * Returns the message and exit code of an error that people can act on. Undefined for a bug, which needs its stack
 * trace.
 */
export function explainError(error: unknown): { message: string; exitCode: number } | undefined {
  if (!isError(error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  // Compares names instead of classes, because core must not import the package of `ConfigError`.
  if (error.name === 'UsageError' || code.startsWith('ERR_PARSE_ARGS_'))
    return { message: error.message, exitCode: USAGE_EXIT_CODE };
  if (error.name === 'Failure' || error.name === 'ConfigError')
    return { message: error.message, exitCode: 1 };
  const message = explainSystemError(error, code);
  return message === undefined ? undefined : { message, exitCode: 1 };
}

/** Checks the shape, because an error from another realm is not an instance of this realm's `Error`. */
function isError(error: unknown): error is Error {
  return typeof error === 'object' && error !== null && 'name' in error && 'message' in error;
}

const OWNER = ' Check its owner and mode, or run MergeXO as a user who has access.';
const ADVICE: Readonly<Record<string, string>> = {
  EACCES: OWNER,
  EPERM: OWNER,
  ENOENT: ' Check that its disk is mounted and that the path contains no broken link.',
};

function explainSystemError(error: Error, code: string): string | undefined {
  const reason = code === 'ENOENT' ? explainMissing(error) : REASONS[code];
  if (reason === undefined || !('path' in error)) return undefined;
  return `Cannot use ${error.path}: ${reason} (${code}).${ADVICE[code] ?? ''}`;
}

/** Explains only a directory that cannot be created. MergeXO expects every other missing file, or has a bug. */
function explainMissing(error: Error): string | undefined {
  if (!('syscall' in error) || error.syscall !== 'mkdir') return undefined;
  return 'the directory cannot be created, because a directory above it is missing';
}
