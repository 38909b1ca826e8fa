import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Programs that MergeXO starts by their path, and a module that it loads into them. */
const FIXED = [
  'apps/cli/dist/main.js',
  'apps/cli/dist/up/end-with-parent.js',
  'apps/dashboard/dist/main.js',
  'apps/demo/dist/agent.js',
  'apps/demo/dist/main.js',
  'apps/poller/dist/main.js',
  'apps/worker/dist/eval/replay-main.js',
  'apps/worker/dist/inspect-agents-main.js',
  'apps/worker/dist/main.js',
  'packages/github-twin/dist/main.js',
  'packages/queue/dist/embedded-redis/keeper.js',
];

/** Files that the programs read at run time. */
export const ASSETS = [
  '.env.example',
  'LICENSE',
  'THIRD_PARTY_LICENSES.md',
  'apps/cli/bin',
  'apps/dashboard/assets',
  'docker-compose.yml',
  'packages/agents/bin',
  'packages/github-twin/assets',
  'packages/github-twin/spec',
  'packages/state/migrations',
];

/** Lists the programs of a compiled checkout, relative to its root. */
export function listPrograms(root: string): string[] {
  const bin = 'apps/poller/dist/bin';
  const scripts = readdirSync(join(root, bin)).filter(
    (name) => name.endsWith('.js') && !name.endsWith('.test.js'),
  );
  return [...FIXED, ...scripts.map((name) => `${bin}/${name}`)];
}
