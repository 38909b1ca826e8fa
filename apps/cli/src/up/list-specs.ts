import { fileURLToPath } from 'node:url';
import type { Settings } from '@mergexo/config';
import { GITHUB_TOKEN_VARIABLES } from '@mergexo/core/basics';
import type { Spec } from './keep-running.js';

type Env = Readonly<{ [name: string]: string | undefined }>;

/** Time limit for a worker to return its turns after the grace period. Returning them takes up to about 13 seconds. */
const HAND_BACK_MS = 20_000;
/** Time limit for the poller to stop. The poller needs up to 5 seconds to close each of its parts. */
const POLLER_STOP_MS = 40_000;
const DASHBOARD_STOP_MS = 5_000;

/** Variables to remove, so that each program gets only the secrets that it needs. */
const NOT_FOR_WORKERS = [
  'MERGEXO_SECRET',
  'MERGEXO_DASHBOARD_PASSWORD',
  'MERGEXO_REVIEWER_TOKEN',
  'MERGEXO_WEBHOOK_SECRET',
];
const NOT_FOR_POLLER = ['MERGEXO_DASHBOARD_PASSWORD', 'MERGEXO_WORKER_KEY'];
const NOT_FOR_DASHBOARD = [
  ...GITHUB_TOKEN_VARIABLES,
  'MERGEXO_REVIEWER_TOKEN',
  'MERGEXO_WORKER_KEY',
  'MERGEXO_WEBHOOK_SECRET',
];

export function listSpecs(
  { config, configPath }: Settings,
  { workers, dashboard, verbose, env }: { workers: number; dashboard: boolean; verbose: boolean; env: Env },
): { poller: Spec; workers: Spec[]; dashboard: Spec | undefined } {
  const args = ['--config', configPath, ...(verbose ? ['--verbose'] : [])];
  const { webhookEnv } = config.notify;
  const graceMs = config.runtime.drainGraceSeconds * 1_000;
  return {
    poller: {
      name: 'poller',
      program: programOf('poller'),
      args,
      env: without(env, NOT_FOR_POLLER),
      stopLimitMs: POLLER_STOP_MS,
    },
    workers: Array.from({ length: workers }, (_, index) => ({
      name: `worker-${index + 1}`,
      program: programOf('worker'),
      args: [...args, '--slots', '1'],
      env: without(env, [...NOT_FOR_WORKERS, ...(webhookEnv === undefined ? [] : [webhookEnv])]),
      stopLimitMs: graceMs + HAND_BACK_MS,
    })),
    dashboard: dashboard
      ? {
          name: 'dashboard',
          program: programOf('dashboard'),
          args,
          env: without(env, NOT_FOR_DASHBOARD),
          stopLimitMs: DASHBOARD_STOP_MS,
          optional: true,
        }
      : undefined,
  };
}

function programOf(app: string): string {
  return fileURLToPath(new URL(`../../../${app}/dist/main.js`, import.meta.url));
}

function without(env: Env, names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
}
