import { join, resolve } from 'node:path';
import type { Config } from './parse/config.js';
import { readConfig } from './read-config.js';

/** The environment as it is given to us; nobody in this package reads the process. */
type Env = Readonly<Record<string, string | undefined>>;

/** Everything that an app needs to know before it starts: the file, and what only the environment may hold. */
export type Settings = {
  config: Config;
  configPath: string;
  paths: {
    database: string;
    lock: string;
    secret: string;
    logs: string;
    redis: string;
    workers: string;
  };
  /** Undefined: Redis is embedded. */
  redis: { url: string; password: string | undefined } | undefined;
  /** The signing secret, where the environment has one; else it is in its file. */
  signingSecret: string | undefined;
  githubToken: string | undefined;
  /** Of a second login, which reviews what the first one opened. */
  reviewerToken: string | undefined;
  /** For programs of the user's own that we start, such as `gh`: everything but our secrets. */
  childEnv: Env;
  /** Where programs are looked for. */
  searchPath: string;
  /** Loaded credentials: logs remove them wherever they show up. */
  secrets: readonly string[];
};

const SECRET_NAMES = [
  'MERGEXO_SECRET',
  'MERGEXO_REDIS_PASSWORD',
  'MERGEXO_REDIS_URL',
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'MERGEXO_REVIEWER_TOKEN',
  'MERGEXO_DASHBOARD_PASSWORD',
];

export function readSettings(options: {
  configPath: string | undefined;
  env: Env;
  homeDir: string;
}): Settings {
  const { homeDir } = options;
  // An empty variable is an unset one: compose files and shells make them easily.
  const env = Object.fromEntries(Object.entries(options.env).filter(([, value]) => value !== ''));
  const configPath = resolve(options.configPath ?? env['MERGEXO_CONFIG'] ?? 'mergexo.toml');
  const envUrl = env['MERGEXO_REDIS_URL'];
  const password = env['MERGEXO_REDIS_PASSWORD'] ?? readPassword(envUrl);
  const config = readConfig(configPath, { homeDir, redisPasswordGiven: password !== undefined });
  const url = envUrl ?? config.redis.url;
  const { baseDir } = config.runtime;
  return {
    config,
    configPath,
    paths: {
      database: join(baseDir, 'state.db'),
      lock: join(baseDir, 'poller.lock'),
      secret: join(baseDir, 'secret'),
      logs: join(baseDir, 'logs'),
      redis: join(baseDir, 'redis'),
      workers: join(baseDir, 'workers'),
    },
    redis: url === undefined ? undefined : { url, password },
    signingSecret: env['MERGEXO_SECRET'],
    githubToken: env['GITHUB_TOKEN'] ?? env['GH_TOKEN'],
    reviewerToken: env['MERGEXO_REVIEWER_TOKEN'],
    childEnv: Object.fromEntries(Object.entries(env).filter(([name]) => !SECRET_NAMES.includes(name))),
    searchPath: env['PATH'] ?? '',
    secrets: [...SECRET_NAMES.map((name) => env[name]), password].filter((secret) => secret !== undefined),
  };
}

function readPassword(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { password } = new URL(url);
  return password === '' ? undefined : decodeURIComponent(password);
}
