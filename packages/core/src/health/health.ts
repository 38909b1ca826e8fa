export const HEALTH_CODES = [
  'ok',
  /** The poller ended as it was asked to. */
  'stopped',
  'token-rejected',
  'no-login',
  /** GitHub answers, but not to this login about this repository. */
  'refused',
  'unreachable',
  /** GitHub asked for a pause: nothing is wrong, and polling resumes by itself. */
  'paused',
  /** The signing secret of earlier comments is gone. */
  'secret-lost',
  'failing',
] as const;
export type HealthCode = (typeof HEALTH_CODES)[number];

/** What the poller last learnt about one thing that it depends on, as kept in SQLite. */
export type HealthReport = {
  subject: HealthSubject;
  code: HealthCode;
  /** When the subject entered this state. */
  since: number;
  checkedAt: number;
  /** The last time that all was well: for a repository, its last complete poll. */
  okAt: number | null;
  detail: string | null;
};

export type HealthSubject = 'poller' | 'github' | 'redis' | `repo/${number}`;

/** How often the poller writes that it is alive. */
export const POLLER_BEAT_MS = 10_000;
