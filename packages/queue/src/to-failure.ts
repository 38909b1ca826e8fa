import { Failure } from '@mergexo/core/basics';

/** Redis is a carrier: whatever it cannot do now is done again later, from SQLite or from the spool. */
export function toFailure(error: unknown, attempted: string): Failure {
  if (error instanceof Failure) return error;
  const detail = error instanceof Error ? error.message : String(error);
  if (/timed out/i.test(detail))
    return new Failure('timed-out', `${attempted}: no answer yet.`, { cause: error });
  return new Failure('unavailable', `${attempted} failed in Redis (${detail}). It is tried again.`, {
    cause: error,
  });
}
