import { silentLog } from '@mergexo/core/basics';
import { createGitHub, type GitHub } from '../create-github.js';
import type { Connection } from '../http/send.js';

export const REPO = 'acme/app';
export const OTHER_REPO = 'acme/other';

const MANY = 1_000_000;
/** Rate limits of the twin, too high for a test to reach by accident. */
export const NO_RATE_LIMITS = { contentPerMinute: MANY, contentPerHour: MANY, pointsPerMinute: MANY };

/** A connection with default settings and a fixed API version. Each test passes the URL and its own settings. */
export function aConnection(facts: Pick<Connection, 'apiUrl'> & Partial<Connection>): Connection {
  return {
    token: async () => 'TOKEN',
    writable: [REPO],
    userAgent: 'mergexo-test',
    apiVersion: '2022-11-28',
    throttled: false,
    now: () => 0,
    log: silentLog,
    ...facts,
  };
}

type Served = {
  apiUrl: string;
  tokens: Readonly<Record<string, string>>;
  world: { clock: { now(): number } };
};

/** A client for `login` (by default `robot`) that uses the twin's clock and the newest API version. */
export function aGitHubClient(
  { apiUrl, tokens, world }: Served,
  { login = 'robot', ...facts }: Partial<Connection> & { login?: string } = {},
): GitHub {
  const token = async () => tokens[login] ?? '';
  const { apiVersion: _, ...connection } = aConnection({ apiUrl, token, now: () => world.clock.now() });
  return createGitHub({ ...connection, ...facts });
}

/**
 * Seed data: the organization `acme` with its repositories, the administrator `alice`, the writer `robot`, and the
 * given writers and strangers.
 */
export function aSeed({
  repos = [REPO],
  files = { 'README.md': 'hi\n' },
  writers = [],
  strangers = [],
}: {
  repos?: readonly string[];
  files?: Record<string, string>;
  writers?: readonly string[];
  strangers?: readonly string[];
} = {}) {
  const logins = ['alice', 'robot', ...writers, ...strangers];
  const permissions: Record<string, 'admin' | 'write'> = {
    alice: 'admin',
    robot: 'write',
    ...Object.fromEntries(writers.map((login) => [login, 'write' as const])),
  };
  return {
    users: [{ login: 'acme', type: 'Organization' as const }, ...logins.map((login) => ({ login }))],
    repos: repos.map((name) => ({ name, permissions, files })),
  };
}
