import { Failure } from '@mergexo/core/basics';

/** Translates a Redis error. Every failed command can be retried, because SQLite and the spool keep the data. */
export function toFailure(error: unknown, attempted: string): Failure {
  if (error instanceof Failure) return error;
  const detail = error instanceof Error ? error.message : String(error);
  if (/timed out/i.test(detail))
    return new Failure(
      'timed-out',
      `${attempted}: timed out waiting for Redis or the poller. MergeXO will retry.`,
      { cause: error },
    );
  return new Failure('unavailable', `${attempted} failed in Redis (${detail}). MergeXO will retry.`, {
    cause: error,
  });
}
