import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Cli } from '../cli/cli.js';

const accountOf = (login: unknown): unknown => Object(Object(login)['tokens'])['account_id'];
const refreshedAt = (login: unknown): number => Date.parse(String(Object(login)['last_refresh']));

/** More than any plausible difference between two clocks. */
const DAY_MS = 86_400_000;

export const CODEX: Cli = {
  name: 'codex',
  npmPackage: '@openai/codex',
  layout: {
    packages: (target) => [`@openai/codex-${target}`],
    programs: (packageDir) => {
      const vendor = join(packageDir, 'vendor');
      return readdirSync(vendor).map((triple) => join(vendor, triple, 'bin', 'codex'));
    },
    // Codex's own bubblewrap and ripgrep, and other bundled files.
    bundledFiles: (program) => {
      const root = dirname(dirname(program));
      return existsSync(join(root, 'codex-resources'))
        ? ['bin', 'codex-path', 'codex-resources', 'codex-package.json'].map((name) => join(root, name))
        : [];
    },
  },
  keys: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
  home: { variable: 'CODEX_HOME', folder: '.codex' },
  loginFile: 'auth.json',
  loginAdvice:
    'Run `codex login` as the user that runs the worker, or add OPENAI_API_KEY to `agent.pass_env`.',
  isRefreshed: (original, updated, nowMs) =>
    typeof accountOf(original) === 'string' &&
    accountOf(original) === accountOf(updated) &&
    Object(original)['OPENAI_API_KEY'] === Object(updated)['OPENAI_API_KEY'] &&
    refreshedAt(updated) > refreshedAt(original) &&
    // Rejects a refresh time in the future, because no real refresh could ever replace such a login.
    refreshedAt(updated) < nowMs + DAY_MS,
  model: {
    hosts: ['api.openai.com'],
    loginHosts: ['chatgpt.com', 'auth.openai.com'],
    urlVariables: ['OPENAI_BASE_URL'],
    otherProvider: /^--oss$|^--local-provider|amazon-bedrock/,
  },
};
