export type FailureKind =
  | 'rate-limited'
  | 'unavailable'
  | 'unauthorized'
  | 'not-found'
  | 'conflict'
  | 'timed-out'
  | 'unknown-outcome'
  | 'invalid-data';

/** An external system failed. Only a package's `toFailure` creates a Failure. Any other error is a bug in MergeXO. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly kind: FailureKind,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.retryAfterMs = options.retryAfterMs;
  }
}
