import { Failure, type Log } from '@mergexo/core/basics';
import { statusOf } from '@mergexo/github';

type Trouble = 'unreachable' | 'token-rejected' | 'no-login';

export type Outage = {
  /** Call this after every request: with the failure, or with undefined for a success. */
  hear(failure: Failure | undefined): void;
  /** Logger for the rest of the poller. During an outage, logs the resulting failures at debug level. */
  log: Log;
};

const WORDS: { readonly [trouble in Trouble]: string } = {
  unreachable: 'GitHub cannot be reached; MergeXO retries at each poll',
  'token-rejected':
    'GitHub rejects the token; MergeXO retries at each poll. Log in again, or set a new GITHUB_TOKEN and restart',
  'no-login':
    'No GitHub login was found; MergeXO retries at each poll. Run `gh auth login`, or set GITHUB_TOKEN and restart',
};

/** Logs a GitHub outage when it starts, when its cause changes and when it ends, but not at each poll. */
export function watchOutage(log: Log, monotonicNow: () => number): Outage {
  let outage: { trouble: Trouble; since: number } | undefined;
  const heard = new WeakSet<Failure>();
  return {
    hear(failure) {
      const meaning = failure === undefined ? 'answered' : judge(failure);
      if (meaning === 'unclear') return;
      if (failure === undefined || meaning === 'answered') {
        if (outage === undefined) return;
        const duration = formatDuration(monotonicNow() - outage.since);
        log.warn({ trouble: outage.trouble }, `GitHub responds again after ${duration}`);
        outage = undefined;
        return;
      }
      heard.add(failure);
      if (meaning !== outage?.trouble) log.warn({ trouble: meaning, err: failure }, WORDS[meaning]);
      outage = { trouble: meaning, since: outage?.since ?? monotonicNow() };
    },
    log: {
      debug: (fields, message) => log.debug(fields, message),
      info: (fields, message) => log.info(fields, message),
      error: (fields, message) => log.error(fields, message),
      warn(fields, message) {
        const { err } = fields;
        // Redis and SQLite failures have the same kinds, so only failures passed to `hear` count.
        if (outage !== undefined && err instanceof Failure && heard.has(err)) log.debug(fields, message);
        else log.warn(fields, message);
      },
    },
  };
}

/**
 * Classifies a failure. A 5xx may affect only one route, and the outbox handles unknown outcomes, so both are unclear.
 */
function judge(failure: Failure): Trouble | 'answered' | 'unclear' {
  const status = statusOf(failure);
  if (status === 401) return 'token-rejected';
  if (status !== null) return status >= 500 ? 'unclear' : 'answered';
  switch (failure.kind) {
    case 'unauthorized':
      return 'no-login';
    case 'unavailable':
    case 'timed-out':
      return 'unreachable';
    case 'unknown-outcome':
      return 'unclear';
    default:
      return 'answered';
  }
}

function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
