import type { Exceeded } from './resources.js';

export type Limits = {
  wallMs: number;
  /** Maximum time without any output. Absent for programs that may be quiet. */
  silenceMs?: number;
};

/** Why MergeXO ended a process. The exit code of such a process is ignored. */
export type Cause =
  | { kind: 'timed-out' }
  | { kind: 'silent' }
  | { kind: 'flooded' }
  | Exceeded
  | { kind: 'aborted'; reason: string };

export type Watch = ReturnType<typeof watchLimits>;

export function watchLimits({ wallMs, silenceMs }: Limits, signal: AbortSignal) {
  let stop: (cause: Cause) => void = () => {};
  const stopped = new Promise<Cause>((resolve) => {
    stop = resolve;
  });
  const onAbort = (): void => stop({ kind: 'aborted', reason: describeReason(signal.reason) });
  signal.addEventListener('abort', onAbort, { once: true });
  const wall = setTimeout(() => stop({ kind: 'timed-out' }), wallMs);
  const silence = silenceMs === undefined ? undefined : setTimeout(() => stop({ kind: 'silent' }), silenceMs);
  return {
    /** Resolves when a limit is reached or `stop` is called. */
    stopped,
    stop,
    /** Restarts the timer that measures the time without output. */
    touch: () => void silence?.refresh(),
    close: () => {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(wall);
      clearTimeout(silence);
    },
  };
}

export function describeReason(reason: unknown): string {
  if (typeof reason === 'string') return reason;
  return String(Object(reason).message ?? reason);
}
