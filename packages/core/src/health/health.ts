import type { NotifyChannel } from '../notices/notice.js';

export const HEALTH_CODES = [
  'ok',
  /** The poller stopped on request. */
  'stopped',
  'token-rejected',
  'no-login',
  /** GitHub responds, but denies this login access to the repository. */
  'refused',
  'unreachable',
  /** GitHub asked for a pause. Nothing is wrong, and polling resumes by itself. */
  'paused',
  /** The secret that signed earlier comments is missing. */
  'secret-lost',
  'failing',
  /** The config file changed, and some of its keys take effect only after a restart. */
  'restart-needed',
  /** No delivery of the webhook has arrived recently, so polling keeps its usual pace. */
  'quiet',
] as const;
export type HealthCode = (typeof HEALTH_CODES)[number];

/** The poller's latest report about one subject, stored in SQLite. */
export type HealthReport = {
  subject: HealthSubject;
  code: HealthCode;
  /** When the subject entered this state. */
  since: number;
  checkedAt: number;
  /** Time of the last success. For a repository, the time of its last complete poll. */
  okAt: number | null;
  detail: string | null;
};

export type HealthSubject =
  | 'poller'
  | 'github'
  | 'redis'
  | 'config'
  | 'webhook'
  | `repo/${number}`
  | `notify/${NotifyChannel}`;

/** How often the poller records its heartbeat. */
export const POLLER_HEARTBEAT_MS = 10_000;
