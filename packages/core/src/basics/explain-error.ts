/** A command was called wrongly: an unknown option, or a value that makes no sense. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** As most command-line tools do, so that scripts can tell a wrong call from a failure. */
export const USAGE_EXIT_CODE = 2;

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is a file and not a directory',
  EISDIR: 'it is a directory',
};

/** For errors that people can act on: what to print, and the exit code. Undefined for a bug, which needs its stack. */
export function explainError(error: unknown): { message: string; exitCode: number } | undefined {
  if (!isError(error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  // By name: ConfigError lives in a package that this one must not import.
  if (error.name === 'UsageError' || code.startsWith('ERR_PARSE_ARGS_'))
    return { message: error.message, exitCode: USAGE_EXIT_CODE };
  if (error.name === 'Failure' || error.name === 'ConfigError')
    return { message: error.message, exitCode: 1 };
  const message = explainSystemError(error, code);
  return message === undefined ? undefined : { message, exitCode: 1 };
}

/** By its shape: an error of another realm is no instance of our `Error`. */
function isError(error: unknown): error is Error {
  return typeof error === 'object' && error !== null && 'name' in error && 'message' in error;
}

function explainSystemError(error: Error, code: string): string | undefined {
  const reason = REASONS[code];
  if (reason === undefined || !('path' in error)) return undefined;
  const { path } = error;
  const advice =
    code === 'EACCES' || code === 'EPERM'
      ? ' Check who owns it and its mode, or run MergeXO as the user who may use it.'
      : '';
  return `Cannot use ${path}: ${reason} (${code}).${advice}`;
}
