import { Failure, type Log } from '@mergexo/core';
import { statusOf } from '@mergexo/github';

type Trouble = 'unreachable' | 'token-rejected' | 'no-login';

export type Outage = {
  /** The outcome of every request: undefined when GitHub answered. */
  hear(failure: Failure | undefined): void;
  /** For the rest of the poller. While the outage lasts, its consequences are debug lines: one warning was enough. */
  log: Log;
};

const WORDS: { readonly [trouble in Trouble]: string } = {
  unreachable: 'GitHub cannot be reached; MergeXO tries again at each poll',
  'token-rejected':
    'GitHub rejects the token; MergeXO tries again at each poll. Log in again, or set a new GITHUB_TOKEN',
  'no-login': 'MergeXO has no GitHub login; it looks for one at each poll',
};

/** Logs an outage of GitHub once when it starts and once when it ends, not at each poll. */
export function watchOutage(log: Log, monotonicNow: () => number): Outage {
  let outage: { trouble: Trouble; since: number } | undefined;
  return {
    hear(failure) {
      const trouble = failure && toTrouble(failure);
      if (failure === undefined || trouble === undefined) {
        if (outage === undefined) return;
        const duration = formatDuration(monotonicNow() - outage.since);
        log.warn({ trouble: outage.trouble }, `GitHub answers again after ${duration}`);
        outage = undefined;
        return;
      }
      if (trouble !== outage?.trouble) log.warn({ trouble, err: failure }, WORDS[trouble]);
      outage = { trouble, since: outage?.since ?? monotonicNow() };
    },
    log: {
      debug: (fields, message) => log.debug(fields, message),
      info: (fields, message) => log.info(fields, message),
      error: (fields, message) => log.error(fields, message),
      warn(fields, message) {
        const { err } = fields;
        const isKnown = outage !== undefined && err instanceof Failure && toTrouble(err) === outage.trouble;
        if (isKnown) log.debug(fields, message);
        else log.warn(fields, message);
      },
    },
  };
}

/** Undefined: GitHub answered, whatever it said. A status of 5xx may be the trouble of one route only. */
function toTrouble(failure: Failure): Trouble | undefined {
  const status = statusOf(failure);
  if (status === 401) return 'token-rejected';
  if (status !== null) return undefined;
  switch (failure.kind) {
    case 'unauthorized':
      return 'no-login';
    case 'unavailable':
    case 'timed-out':
    case 'unknown-outcome':
      return 'unreachable';
    default:
      return undefined;
  }
}

function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
