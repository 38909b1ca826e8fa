import type { Failure } from '@mergexo/core/basics';
import { type HealthCode, type HealthSubject, POLLER_HEARTBEAT_MS } from '@mergexo/core/health';
import { statusOf } from '@mergexo/github';
import { recordEvents } from '../lifecycle/record-events.js';
import type { Records } from '../tools.js';

export type Health = {
  /** Keeps the report in memory until the next beat. Without a failure, reports the subject as healthy. */
  report(subject: HealthSubject, failure?: Failure | HealthCode): void;
  /** Call this every second. Saves a changed status at once, and the poller's heartbeat every ten seconds. */
  beat(): void;
  stop(): void;
};

type Noted = { code: HealthCode; detail: string | null };

/** Saves the poller's health in the database, so that other processes can detect a dead poller or a revoked token. */
export function createHealth(tools: Records & { monotonicNow: () => number }): Health {
  const { state, now, monotonicNow } = tools;
  const latest = new Map<HealthSubject, Noted>();
  const saved = new Map<HealthSubject, HealthCode>();
  const fresh = new Set<HealthSubject>();
  let beatAt = Number.NEGATIVE_INFINITY;

  const report: Health['report'] = (subject, failure) => {
    latest.set(subject, toNoted(subject, failure));
    fresh.add(subject);
  };
  const save = (): void => {
    const news = [...fresh].flatMap((subject) => {
      const noted = latest.get(subject);
      return noted === undefined ? [] : [{ subject, ...noted }];
    });
    state.transaction(() => {
      for (const noted of news) {
        noteRejection(tools, noted);
        state.saveHealth(noted, now());
      }
    });
    for (const { subject, code } of news) saved.set(subject, code);
    fresh.clear();
    beatAt = monotonicNow();
  };

  return {
    report,
    beat() {
      const hasNews = [...fresh].some((subject) => latest.get(subject)?.code !== saved.get(subject));
      if (!hasNews && monotonicNow() - beatAt < POLLER_HEARTBEAT_MS) return;
      report('poller');
      save();
    },
    stop() {
      report('poller', 'stopped');
      save();
    },
  };
}

/** Records a rejected or missing token once, even if the poller restarts in between. Requires a transaction. */
function noteRejection(tools: Records, { subject, code }: Noted & { subject: HealthSubject }): void {
  if (subject !== 'github' || (code !== 'token-rejected' && code !== 'no-login')) return;
  const before = tools.state.listHealth().find((report) => report.subject === subject);
  if (before?.code !== code) recordEvents(tools, [{ type: 'token_rejected', payload: { code } }]);
}

function toNoted(subject: HealthSubject, failure: Failure | HealthCode | undefined): Noted {
  if (failure === undefined) return { code: 'ok', detail: null };
  if (typeof failure === 'string') return { code: failure, detail: null };
  return { code: toCode(subject, failure), detail: failure.message };
}

function toCode(subject: HealthSubject, failure: Failure): HealthCode {
  switch (failure.kind) {
    case 'unauthorized':
      if (statusOf(failure) === 401) return 'token-rejected';
      return subject === 'github' ? 'no-login' : 'refused';
    case 'not-found':
      return 'refused';
    case 'rate-limited':
      return 'paused';
    case 'unavailable':
    case 'timed-out':
    case 'unknown-outcome':
      return 'unreachable';
    case 'conflict':
      return subject === 'config' ? 'restart-needed' : 'failing';
    default:
      return 'failing';
  }
}
