export const FAILURE_KINDS = [
  'rate-limited',
  'unavailable',
  'unauthorized',
  'not-found',
  'conflict',
  'timed-out',
  'unknown-outcome',
  'invalid-data',
] as const;

export type FailureKind = (typeof FAILURE_KINDS)[number];

/** The world failed. Doors throw it, made only in their `toFailure`; whatever else is thrown is a bug of ours. */
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
