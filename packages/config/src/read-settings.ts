import { join } from 'node:path';
import { describeHost, GITHUB_TOKEN_VARIABLES, readProxySettings } from '@mergexo/core/basics';
import { createRedact, type SecretRedact } from '@mergexo/core/text';
import { allowedBy } from './kinds/kind.js';
import { hostName } from './kinds/urls.js';
import { findConfig, findDataDirectory } from './locations.js';
import type { Config } from './parse/config.js';
import { ConfigError } from './parse/config-error.js';
import { readConfig } from './read-config.js';
import { listWebhookNames, listWebhookSecrets, readWebhook } from './secrets/webhook.js';
import { deepFreeze } from './values/deep-freeze.js';

/** Environment variables from the caller. This package never reads `process.env`. */
type Env = Readonly<Record<string, string | undefined>>;

/** An interface, so that inferred types show the name `Settings`. */
export interface Settings extends ReturnType<typeof readSettings> {}

const SECRET_NAMES = [
  'MERGEXO_SECRET',
  'MERGEXO_WORKER_KEY',
  'MERGEXO_REDIS_PASSWORD',
  'MERGEXO_REDIS_URL',
  ...GITHUB_TOKEN_VARIABLES,
  'MERGEXO_REVIEWER_TOKEN',
  'MERGEXO_DASHBOARD_PASSWORD',
  'MERGEXO_WEBHOOK_SECRET',
];

type Options = {
  configPath: string | undefined;
  env: Env;
  homeDir: string;
  /** Learns the secrets. Absent if the caller does not redact anything before it reads the settings. */
  redact?: SecretRedact;
  /** Gets the path of the config that was read. */
  announce?: (configPath: string) => void;
};

/** Reads everything that an app needs to start: the config, and secrets from the environment. */
export function readSettings(options: Options) {
  const { redact = createRedact([]) } = options;
  // An empty variable counts as unset, because compose files and shells often produce empty ones.
  const env = Object.fromEntries(Object.entries(options.env).filter(([, value]) => value !== ''));
  const envUrl = env['MERGEXO_REDIS_URL'];
  const password = env['MERGEXO_REDIS_PASSWORD'] ?? readPassword(envUrl);
  const proxy = readProxySettings(env);
  const { config, configPath } = readFoundConfig(options, env, password !== undefined);
  const url = envUrl ?? config.redis.url;
  const { baseDir } = config.runtime;
  const webhook = readWebhook(config.notify.webhookEnv, env);
  const secrets = listSecrets(env, password);
  const passed = config.agent.passEnv.map((name) => env[name]).filter(isLikelyKey);
  redact.learn([...secrets, ...passed, ...listWebhookSecrets(webhook), readPassword(proxy.url)]);
  return {
    config,
    configPath,
    paths: listPaths(baseDir, env),
    /** Undefined if Redis is embedded. */
    redis: url === undefined ? undefined : { url, password },
    /** The signing secret from the environment; if undefined, the secret is in its file. */
    signingSecret: env['MERGEXO_SECRET'],
    /** The key of a worker on another host; if undefined, the worker reads the file that the poller wrote. */
    workerKey: env['MERGEXO_WORKER_KEY'],
    /** The first token that the environment has for the configured host. */
    githubToken: describeHost(config.github.apiUrl)
      .tokenVariables.map((name) => env[name])
      .find((token) => token !== undefined),
    /** Token of a second login, which reviews the first login's pull requests. */
    reviewerToken: env['MERGEXO_REVIEWER_TOKEN'],
    /** Environment for programs such as `gh`, without MergeXO's secrets. */
    childEnv: withoutSecrets(env, config),
    /** The proxy for requests to GitHub and to git remotes. */
    proxy,
    /** Additional certificate authorities. Node itself reads this variable, and git needs a setting. */
    extraCaCerts: env['NODE_EXTRA_CA_CERTS'],
    /** The webhook for notifications, or why it cannot be used; undefined if none is configured. */
    webhook,
    /** The secrets of GitHub's webhooks, as they are in the environment. */
    webhookSecret: env['MERGEXO_WEBHOOK_SECRET'],
    /** PATH of the process. */
    searchPath: env['PATH'] ?? '',
    /** MergeXO's own credentials from the environment. */
    secrets,
    /** Redacts every credential that this program has read. All output must pass through it. */
    redact,
  };
}

function readFoundConfig(
  { configPath, homeDir, announce }: Options,
  env: Env,
  redisPasswordGiven: boolean,
): { config: Config; configPath: string } {
  const { path, absent } = findConfig({ configPath, env, homeDir });
  const dataDirectory = findDataDirectory({ env, homeDir });
  const config = readConfig(path, { homeDir, dataDirectory, redisPasswordGiven, absent });
  announce?.(path);
  return { config: withDashboardHost(config, env['MERGEXO_DASHBOARD_HOST']), configPath: path };
}

/** The files and directories that the programs of one machine share. */
function listPaths(baseDir: string, env: Env) {
  return {
    database: join(baseDir, 'state.db'),
    lock: join(baseDir, 'poller.lock'),
    secret: join(baseDir, 'secret'),
    workerKey: join(baseDir, 'worker-key'),
    logs: join(baseDir, 'logs'),
    redis: join(baseDir, 'redis'),
    workerHealth: join(baseDir, 'worker-health.json'),
    /** Unsent plans. Containers share this directory, so that plans outlive their container. */
    workers: env['MERGEXO_SPOOL_DIR'] ?? join(baseDir, 'workers'),
  };
}

/** Lists MergeXO's own credentials, and each part of those that contain several. */
function listSecrets(env: Env, password: string | undefined): string[] {
  const several = ['MERGEXO_SECRET', 'MERGEXO_WEBHOOK_SECRET'].flatMap(
    (name) => env[name]?.split(/\s+/) ?? [],
  );
  const own = [...SECRET_NAMES.map((name) => env[name]), password, env['MERGEXO_WORKER_KEY']?.split(':')[1]];
  return [...own.filter((secret) => secret !== undefined), ...several];
}

/** Replaces the host, because a container must listen on all of its addresses, whatever the file says. */
function withDashboardHost(config: Config, host: string | undefined): Config {
  if (host === undefined) return config;
  const schema = hostName();
  if (schema.safeParse(host).success)
    return deepFreeze({ ...config, dashboard: { ...config.dashboard, host } });
  const message = `expected ${allowedBy(schema)}`;
  throw new ConfigError('The environment', [{ path: 'MERGEXO_DASHBOARD_HOST', message }]);
}

function withoutSecrets(env: Env, config: Config): Env {
  const names = [...SECRET_NAMES, ...listWebhookNames(config)];
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}

/** True for a value that may be a model's API key. Paths, URLs and short words also occur in ordinary text. */
function isLikelyKey(value: string | undefined): boolean {
  return value !== undefined && value.length >= 16 && !/^\/|:\/\/|\s/.test(value);
}

function readPassword(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { password } = new URL(url);
  return password === '' ? undefined : decodeURIComponent(password);
}
